# SPDX-License-Identifier: BSD-3-Clause
"""make-site: the pages as a web site."""
import re
import shutil

import pytest

import jobs

pytestmark = pytest.mark.scripts


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    if shutil.which("mkdocs") is None:
        pytest.skip("mkdocs is not installed")
    folder = tmp_path_factory.mktemp("site") / "site"
    jobs.run([jobs.SOURCE / "scripts/make-site", folder], jobs.SOURCE).succeeded()
    return folder


@pytest.mark.more
def test_each_page_is_there_and_leads_to_all_others(site):
    names = [path.stem for path in (jobs.SOURCE / "docs").glob("*.md")]
    start = (site / "index.html").read_text()
    for name in [*names, "programs", "packages", "examples", "testing"]:
        assert f'href="{name}.html"' in start, name
        assert (site / f"{name}.html").exists(), name


@pytest.mark.more
def test_links_and_pictures_lead_to_what_is_there(site):
    for page in site.glob("*.html"):
        for link in re.findall(r'(?:href|src)="([^"#:]+)(?=["#])', page.read_text()):
            if page.name != "404.html" and link not in (".", "/"):
                assert (site / link).exists(), f"{page.name}: {link}"


def test_nothing_is_loaded_from_elsewhere(site):
    for page in site.glob("*.html"):
        loaded = r'<(?:script|img|link(?! rel="canonical"))[^>]*(?:src|href)="https?:'
        assert not re.search(loaded, page.read_text()), page.name


def test_the_search_knows_settings_and_options(site):
    index = (site / "search/search_index.json").read_text()
    for word in "watchdog", "--plan", "--tune", "Top500":
        assert word in index, word


def test_without_mkdocs_it_says_what_to_install(tmp_path):
    words = ["/usr/bin/python3", jobs.SOURCE / "scripts/make-site", tmp_path / "site"]
    outcome = jobs.run(words, tmp_path, {"PATH": str(tmp_path)})
    assert outcome.status == 2 and "mkdocs-material" in outcome.stderr
