"""
What a run leaves behind: `report.json` and the pages and files made from it.

`model` is the schema, `store` reads and writes it, `sentence` says the verdict in words,
`page`, `junit` and `allure` render it, `writer` fills the run's folder.
Nothing here judges: verdicts come from `eureka_tck.verdict`.
"""
