"use strict";
(function () {
  /* A button that copies needs this script, so this script makes it. */
  document.querySelectorAll("[data-copy]").forEach(function (box) {
    var button = document.createElement("button");
    button.type = "button";
    button.className = "copy noprint";
    button.textContent = "Copy";
    button.setAttribute("aria-label", "Copy: " + box.dataset.copy);
    button.addEventListener("click", function () {
      var text = box.querySelector("code").textContent;
      var told = function () { button.textContent = "Copied"; };
      if (navigator.clipboard) { navigator.clipboard.writeText(text).then(told, pick); } else { pick(); }
      function pick() { /* a page from disk may not reach the clipboard: select, so that Ctrl-C does */
        getSelection().selectAllChildren(box.querySelector("code"));
        button.textContent = "Selected";
      }
    });
    box.appendChild(button);
  });
})();
