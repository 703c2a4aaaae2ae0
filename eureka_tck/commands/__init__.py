"""The commands of `eureka-tck`: each adds its parser and runs."""
