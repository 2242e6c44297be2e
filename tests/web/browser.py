"""A browser for tests: headless Chromium through chromedriver's WebDriver HTTP interface, with the standard library only.

Browser(folder) starts both in a process group of their own and ends them on leaving the `with` block. Its profile lies in
`folder`. Pages are opened from files; every request that a page makes is recorded by the browser itself.
"""
import base64
import json
import os
import re
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request

START_S = 30
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # W3C WebDriver, section 11: the key of an element reference


class Browser:
    def __init__(self, folder, width=1200, height=900):
        self.folder, self.width, self.height = folder, width, height
        self.session = None

    def __enter__(self):
        log_path = os.path.join(self.folder, "chromedriver.log")
        env = dict(os.environ, HOME=self.folder, TMPDIR=self.folder)
        with open(log_path, "wb") as log:
            self.process = subprocess.Popen(["chromedriver", "--port=0"], stdout=log, stderr=log, env=env,
                                            stdin=subprocess.DEVNULL, start_new_session=True)
        try:
            self.port = self._port(log_path)
            self._open_session()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _port(self, log_path):
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            with open(log_path, encoding="utf-8", errors="replace") as f:
                found = re.search(r"started successfully on port (\d+)", f.read())
            if found:
                return int(found.group(1))
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        with open(log_path, encoding="utf-8", errors="replace") as f:
            raise RuntimeError("chromedriver did not start: " + f.read())

    def _open_session(self):
        args = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                "--disable-background-networking", "--disable-component-update", "--no-first-run",
                "--force-device-scale-factor=1", "--disable-extensions", "--disable-sync",
                f"--window-size={self.width},{self.height}", "--user-data-dir=" + os.path.join(self.folder, "profile")]
        options = {"args": args, "perfLoggingPrefs": {"enableNetwork": True}}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options,
                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        answer = self._http("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = answer["sessionId"]
        self.call("url", {"url": "about:blank"})  # leaves the browser's own start page, and forgets what that asked for
        self.console()
        self.requests()

    def __exit__(self, *_):
        try:
            if self.session:
                self._http("DELETE", f"/session/{self.session}")
        except (OSError, RuntimeError):
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        shutil.rmtree(os.path.join(self.folder, "profile"), ignore_errors=True)

    def _http(self, method, path, body=None):
        data = None if body is None and method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data=data, method=method,
                                         headers={"Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {json.load(error)['value']['message'].splitlines()[0]}") from None

    def call(self, path, body=None, method="POST"):
        return self._http(method, f"/session/{self.session}/{path}", body)

    def open(self, path):
        self.call("url", {"url": "file://" + os.path.abspath(path)})

    def js(self, script, *args):
        """What the script returns; it sees its arguments as arguments[0] ..."""
        return self.call("execute/sync", {"script": script, "args": list(args)})

    def later(self, script, *args):
        """What the script hands to its last argument, a function, once it is done."""
        return self.call("execute/async", {"script": script, "args": list(args)})

    def cdp(self, command, **params):
        return self.call("goog/cdp/execute", {"cmd": command, "params": params})

    def element(self, css):
        return self.call("element", {"using": "css selector", "value": css})[ELEMENT]

    def click(self, css):
        self.js("document.querySelector(arguments[0]).scrollIntoView({block: 'center', behavior: 'instant'})", css)
        for left in reversed(range(10)):  # what comes into sight is laid out then, and moves what is below it
            try:
                return self.call(f"element/{self.element(css)}/click")
            except RuntimeError as x:
                if "click intercepted" not in str(x) or not left:
                    raise
                time.sleep(0.1)

    def type(self, css, text):
        self.call(f"element/{self.element(css)}/value", {"text": text})

    def scheme(self, name, media=""):
        """"dark" or "light"; media "print" shows the page as it prints."""
        self.cdp("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": name}])

    def scripts(self, allowed):
        self.cdp("Emulation.setScriptExecutionDisabled", value=not allowed)

    def picture(self, path, clip=None):
        """PNG of the window, or of clip = (x, y, width, height) in the page."""
        params = {"format": "png"}
        if clip:
            params["captureBeyondViewport"] = True
            params["clip"] = dict(zip(("x", "y", "width", "height"), clip), scale=1)
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.cdp("Page.captureScreenshot", **params)["data"]))

    def pdf(self):
        """The driver gives the renderer 10 s, which is too little where others keep the CPUs busy."""
        for _ in range(4):
            try:
                return base64.b64decode(self.call("print", {"background": True}))
            except RuntimeError as error:
                if "Timed out" not in str(error):
                    raise
                late = error
        raise late

    def console(self):
        """Messages of the console since the last call: errors of scripts, of styles, of loading."""
        return [f"{m['level']}: {m['message']}" for m in self.call("se/log", {"type": "browser"})]

    def requests(self):
        """Addresses that were asked for since the last call, by the browser's own record."""
        out = []
        for entry in self.call("se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                out.append(message["params"]["request"]["url"])
        return out
