"""
Fills a run's folder: `report.json` first, then what is made from it.

A stored report gives the same files again: `write(load(folder), folder)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eureka_tck.errors import CannotRun
from eureka_tck.report import store
from eureka_tck.report.allure import write_allure
from eureka_tck.report.junit import junit_xml
from eureka_tck.report.page import render_page
from eureka_tck.report.run_page import FILE as PAGE
from eureka_tck.report.sentence import worded

if TYPE_CHECKING:
    from pathlib import Path

    from eureka_tck.report.model import Report

JUNIT: Final = "junit.xml"
ALLURE: Final = "allure-results"


def write(report: Report, folder: Path) -> Path:
    """Write all files of a run and return the path of its page."""
    report = worded(report)
    page = folder / PAGE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        store.save(report, folder / store.FILE)
        page.write_text(render_page(report), "utf-8")
        (folder / JUNIT).write_bytes(junit_xml(report))
        write_allure(report, folder / ALLURE)
    except OSError as error:
        raise CannotRun(
            f"The report cannot be written to {folder}: {error.strerror}.",
            "Give another folder with --out.",
        ) from error
    return page
