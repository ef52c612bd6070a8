# SPDX-License-Identifier: BSD-3-Clause
"""make-site: the pages as a web site."""
import re
import shutil

import pytest

import jobs
import test_hpl_report_browser as browsing
from test_hpl_report_browser import browser  # noqa: F401

pytestmark = pytest.mark.scripts

# Elements that hang out of the screen, without a box around them that scrolls.
OUTSIDE = """
const scrolls = (x) => x && x.tagName !== "BODY"
  && (/auto|scroll/.test(getComputedStyle(x).overflowX) || scrolls(x.parentElement));
return [...document.querySelectorAll("article *")].filter((x) =>
    x.getBoundingClientRect().right > innerWidth + 1 && !scrolls(x.parentElement))
  .map((x) => x.outerHTML.slice(0, 80));
"""
CONTRAST = """
const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
const light = (rgb) => [0.2126, 0.7152, 0.0722].reduce((sum, part, i) => {
  const c = rgb[i] / 255;
  return sum + part * (c > 0.03928 ? ((c + 0.055) / 1.055) ** 2.4 : c / 12.92);
}, 0);
const behind = (x) => {
  const found = numbers(getComputedStyle(x).backgroundColor);
  return found[3] === 0 ? behind(x.parentElement) : found;
};
return [...document.querySelectorAll("article :is(p, a, td, th, code, h2)")].map((x) => {
  const front = numbers(getComputedStyle(x).color), back = behind(x), a = front[3] ?? 1;
  const mixed = front.slice(0, 3).map((c, i) => a * c + (1 - a) * back[i]);
  const [dark, bright] = [light(mixed), light(back)].sort((m, n) => m - n);
  return {what: x.outerHTML.slice(0, 60), ratio: (bright + 0.05) / (dark + 0.05),
          back: light(back)};
});
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    if shutil.which("mkdocs") is None:
        pytest.skip("mkdocs is not installed")
    folder = tmp_path_factory.mktemp("site") / "site"
    jobs.run([jobs.SOURCE / "scripts/make-site", folder], jobs.SOURCE).succeeded()
    return folder


def test_the_first_page_has_a_way_in_for_each_machine(site):
    start = (site / "index.html").read_text()
    ways = re.findall(r'<h2 id="[^"]*">A (.*?)<.*?<pre><code>(.*?)</code>(.*?)</div>',
                      start, re.S)
    assert [way[0] for way in ways] == ["laptop", "server", "cluster", "GPU"]
    for machine, commands, rest in ways:
        for program in re.findall(r"^(\S+)", commands, re.M):
            built = ("make", "bin/arch/xhpl", "bin/arch/xdgemm")
            assert program in built or (jobs.SOURCE / program).exists(), program
        links = re.findall(r'href="([^"#]+\.html)#?([^"]*)"', rest)
        assert links, machine
        for page, anchor in links:
            assert not anchor or f'id="{anchor}"' in (site / page).read_text(), anchor


def test_every_page_has_dark_colours_for_devices_that_ask_for_them(site):
    assert "@media (prefers-color-scheme: dark)" in (site / "site.css").read_text()
    for page in site.glob("*.html"):
        assert re.search(r'href="[^"]*site\.css"', page.read_text()), page.name


@pytest.mark.more
def test_no_page_is_wider_than_a_phone(site, browser):
    for page in sorted(site.glob("*.html")):
        browsing.look(browser, page, width=390)
        assert browser.execute_script(browsing.OVERFLOW) <= 0, page.name
        assert browser.execute_script(OUTSIDE) == [], page.name


@pytest.mark.more
@pytest.mark.parametrize("page", ["index", "SETTINGS", "BENCHMARKS", "TROUBLESHOOTING"])
def test_colours_follow_the_device_and_text_is_readable(site, browser, page):
    for scheme in "light", "dark":
        browsing.look(browser, site / f"{page}.html", scheme)
        found = browser.execute_script(CONTRAST)
        assert found
        assert all((x["back"] < 0.1) == (scheme == "dark") for x in found), scheme
        assert [x for x in found if x["ratio"] < 4.5] == [], scheme


@pytest.mark.more
def test_each_page_is_there_and_leads_to_all_others(site):
    names = [path.stem for path in (jobs.SOURCE / "docs").glob("*.md")]
    start = (site / "index.html").read_text()
    for name in [*names, "programs", "packages", "examples", "testing"]:
        assert f'href="{name}.html"' in start, name
        assert (site / f"{name}.html").exists(), name


def test_nothing_is_loaded_from_elsewhere(site):
    for page in site.glob("*.html"):
        loaded = r'<(?:script|img|link(?! rel="canonical"))[^>]*(?:src|href)="https?:'
        assert not re.search(loaded, page.read_text()), page.name


def test_without_mkdocs_it_says_what_to_install(tmp_path):
    words = ["/usr/bin/python3", jobs.SOURCE / "scripts/make-site", tmp_path / "site"]
    jobs.run(words, tmp_path, {"PATH": str(tmp_path)}).ended(2, "mkdocs-material")
