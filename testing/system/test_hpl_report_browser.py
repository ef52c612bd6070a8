# SPDX-License-Identifier: BSD-3-Clause
"""hpl-report's page in a browser without a window."""
import json
import os
import shutil

import pytest

import report_page

pytestmark = [pytest.mark.scripts, pytest.mark.more]

DRIVER = shutil.which("chromedriver")
WORDS = ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage",
         "--disable-background-networking", "--force-device-scale-factor=1")
LOOKS = [("light", 390), ("dark", 1280)]

CHARTS = """
return [...document.querySelectorAll("[data-chart]")].map((chart) => {
  const svg = chart.querySelector("svg"), canvas = chart.querySelector("canvas");
  const found = (svg || canvas || chart).getBoundingClientRect();
  let marks = svg ? svg.querySelectorAll("path").length : 0;
  if (canvas) {
    const all = canvas.getContext("2d")
      .getImageData(0, 0, canvas.width, canvas.height).data;
    const colours = new Set();
    for (let i = 0; i < all.length; i += 4)
      if (all[i + 3] === 255) colours.add(all[i] << 16 | all[i + 1] << 8 | all[i + 2]);
    marks = colours.size;
  }
  return {kind: chart.dataset.chart, width: found.width, height: found.height,
    drawn: Boolean(svg || canvas), marks};
});
"""
COLOUR = "getComputedStyle(document.body).backgroundColor"
OVERFLOW = "return document.documentElement.scrollWidth - innerWidth"


def start(profile):
    """A browser, or a skipped test."""
    webdriver = pytest.importorskip("selenium.webdriver")
    if DRIVER is None:
        pytest.skip("chromedriver is not installed")
    options = webdriver.ChromeOptions()
    for word in (*WORDS, f"--user-data-dir={profile}"):
        options.add_argument(word)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    from selenium.webdriver.chrome.service import Service

    return webdriver.Chrome(service=Service(DRIVER), options=options)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    found = start(tmp_path_factory.mktemp("profile"))
    yield found
    found.quit()


def look(browser, path, scheme="light", width=1280):
    """Open a page as a device with this width and choice of colours does."""
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "features": [{"name": "prefers-color-scheme", "value": scheme}]})
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": 900, "deviceScaleFactor": 1,
        "mobile": width < 600})
    browser.get_log("browser")
    browser.get(path.as_uri())


def complaints(browser):
    return [entry["message"] for entry in browser.get_log("browser")]


@pytest.fixture
def page(traced_run, record):
    for row in record["iterations"]:
        row.update(share_used=0.5, update_device_0=0.5 * row["seconds"])
    (traced_run / "devices.json").write_text(json.dumps(record))
    report_page.made(traced_run, "devices.json", "--trace", "trace.json")
    return traced_run / "page.html"


@pytest.mark.parametrize("scheme, width", LOOKS)
def test_charts_are_drawn_and_nothing_overflows(browser, page, scheme, width):
    look(browser, page, scheme, width)
    charts = browser.execute_script(CHARTS)
    assert [c["kind"] for c in charts] == [
        "rate", "phases", "parts", "timeline", "timeline", "work"]
    for chart in charts:
        assert chart["drawn"] and chart["height"] > 140, chart
        assert 0.8 * min(width, 1080) - 60 < chart["width"] < width, chart
        assert chart["marks"] >= 3, chart
    assert browser.execute_script(OVERFLOW) <= 0
    assert complaints(browser) == []


def until(browser, script):
    """Wait for an expression to be true; what it is then."""
    return browser.execute_async_script(
        "const done = arguments[0];"
        f"const wait = () => {{ const is = {script}; "
        "is ? done(is) : setTimeout(wait, 20); }; wait();")


def test_colours_follow_the_readers_choice(browser, page):
    look(browser, page, "light")
    ink = 'document.querySelector("[data-chart] svg text").getAttribute("fill")'
    before = browser.execute_script(f"return [{COLOUR}, {ink}]")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    after = until(browser, f"{ink} !== '{before[1]}' && [{COLOUR}, {ink}]")
    assert before[0] != after[0] and before[1] != after[1]


def test_fields_can_be_copied(browser, page):
    look(browser, page)
    browser.find_element("css selector", "[data-copy]").click()
    said = until(browser, "document.querySelector('[role=status]').textContent")
    assert said in ("Copied.", "Selected: press Ctrl+C.")


HURT = "<img/src=x/onerror='window.hurt=1'>"
HOSTILE = f'">{HURT}</script>{HURT}<script>window.hurt = 1</script>'
COLLECTIONS = ("settings", "environment", "hpl_dat")  # names in them are foreign, too


def hostile(value, key=""):
    """A record or trace in which all texts are hostile; names of members stay."""
    if isinstance(value, dict):
        foreign = key in COLLECTIONS
        return {k + HOSTILE * foreign: hostile(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [hostile(item, key) for item in value]
    if isinstance(value, str) and key != "ph" and value != "thread_name":
        return HOSTILE + value
    return value


def hover(browser, chart):
    """The texts of the first two tooltips that appear over a chart."""
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", chart)
    box, said = chart.rect, set()
    top = browser.execute_script("return arguments[0].getBoundingClientRect().top", chart)
    for i in range(1, 12):
        for j in range(1, 6):
            browser.execute_cdp_cmd("Input.dispatchMouseEvent", {
                "type": "mouseMoved", "x": box["x"] + box["width"] * i / 12,
                "y": top + box["height"] * j / 6})
            tip = browser.execute_script(
                "const tip = arguments[0].querySelector(':scope > div:nth-child(2)');"
                "return tip ? tip.textContent : ''", chart)
            if tip:
                said.add(tip)
            if len(said) == 2:
                return said
    return said


def assert_all_is_text(browser):
    """Nothing of the page is an element that a name made."""
    assert browser.execute_script("return window.hurt === undefined")
    assert browser.execute_script("return document.images.length") == 0
    assert browser.execute_script("return document.scripts.length") == 3
    assert complaints(browser) == []


def test_names_run_no_script(browser, tmp_path, traced_run, record):
    record = hostile(record)
    for test in record["tests"]:
        test["status"] = "PASSED"
    trace = hostile(json.loads((traced_run / "trace.json").read_text()))
    report_page.page_of(tmp_path, record, record, trace=trace)
    look(browser, tmp_path / "page.html")
    browser.execute_script(
        "document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    until(browser, '[...document.querySelectorAll("[data-chart]")]'
          '.every((chart) => chart.querySelector("svg, canvas"))')
    said = [hover(browser, chart)
            for chart in browser.find_elements("css selector", "[data-chart]")]
    assert [texts for texts in said if not texts] == [], said
    assert any(HURT in text for texts in said for text in texts), said
    assert_all_is_text(browser)


def test_a_folded_run_is_drawn_when_it_is_opened(browser, tmp_path, record):
    report_page.page_of(tmp_path, record, record)
    look(browser, tmp_path / "page.html")
    drawn = [chart["drawn"] for chart in browser.execute_script(CHARTS)]
    assert True in drawn and False in drawn
    browser.execute_script('document.querySelectorAll("details.run")[1].open = true')
    until(browser, '[...document.querySelectorAll("[data-chart]")]'
          '.every((chart) => chart.querySelector("svg, canvas"))')
    assert complaints(browser) == []


def test_a_large_run_fits_a_phone(browser, tmp_path, record):
    row, (host,) = record["iterations"][0], record["hosts"]
    record["iterations"] = [{**row, "iteration": i} for i in range(3000)]
    record["hosts"] = [
        {**host, "name": f"a-long-name-of-a-node-{i:04}.example"}
        for i in range(40)
    ]
    record["tests"][0].update(p=10, q=40)
    report_page.page_of(tmp_path, record)
    look(browser, tmp_path / "page.html", "dark", 390)
    assert browser.execute_script(OVERFLOW) <= 0
    assert complaints(browser) == []


def test_a_phone_sees_the_rate_and_that_there_is_more(browser, tmp_path, record):
    """The first columns of the table, a shadow where it goes on, whole names of bars."""
    other = json.loads(json.dumps(record))
    other["settings"]["kernel"]["value"] = "portable"
    other["tests"][0].update(n=record["tests"][0]["n"] + 40, gflops=1.5)
    report_page.page_of(tmp_path, record, other)
    look(browser, tmp_path / "page.html", width=390)
    seen = browser.execute_script("""
      const box = document.querySelector("#comparison").parentNode
        .querySelector(".scroll"), right = box.getBoundingClientRect().right;
      return {heads: [...box.querySelectorAll("thead th")].filter((th) =>
        th.getBoundingClientRect().right <= right).map((th) => th.textContent),
        goesOn: box.scrollWidth > box.clientWidth,
        shadow: getComputedStyle(box).backgroundAttachment,
        bars: [...document.querySelectorAll('[data-chart="bars"] text')]
          .map((x) => x.textContent).join(" ")};""")
    assert {"Gflop/s", "Of the ceiling"} <= set(seen["heads"]) and seen["goesOn"], seen
    assert seen["shadow"].count("scroll") == 2, seen
    assert "kernel portable" in " ".join(seen["bars"].split()), seen
