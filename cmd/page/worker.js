"use strict";
// Clusters one file. The page sends the compiled program, the file and the options; it hears of progress, and then gets
// the answer or a fault. To cancel, it ends the worker.

importScripts("wasm_exec.js"); // of the Go toolchain; it sets Go, and an empty file system

let said = ""; // by the program, on its standard error

// hold makes the file system hold one file.
const hold = (name, bytes) => {
  const missing = () => Object.assign(new Error("no such file"), { code: "ENOENT" });
  const info = {
    dev: 0, ino: 1, mode: 0o100444, nlink: 1, uid: 0, gid: 0, rdev: 0, size: bytes.length, blksize: 4096, blocks: 1,
    atimeMs: 0, mtimeMs: 0, ctimeMs: 0, isDirectory: () => false,
  };
  let at = 0;
  const stat = (path, done) => (path === name ? done(null, info) : done(missing()));
  Object.assign(globalThis.fs, {
    stat, lstat: stat,
    open(path, flags, mode, done) {
      at = 0;
      return path === name ? done(null, 3) : done(missing());
    },
    fstat(fd, done) { done(null, info); },
    close(fd, done) { done(null); },
    read(fd, buffer, offset, length, position, done) {
      const from = position ?? at, part = bytes.subarray(from, from + length);
      buffer.set(part, offset);
      if (position === null) at += part.length;
      done(null, part.length);
    },
    writeSync(fd, text) {
      said += new TextDecoder().decode(text);
      return text.length;
    },
  });
};

onmessage = async ({ data: { program, name, bytes, options } }) => {
  hold(name, new Uint8Array(bytes));
  let ready = false;
  globalThis.task = {
    name, options: JSON.stringify(options),
    progress: (part, done, total) => postMessage({ part, done, total }),
    answered: answer => {
      ready = true;
      postMessage(answer, answer.html ? [answer.html.buffer] : []);
    },
  };
  try {
    const go = new Go();
    await go.run(await WebAssembly.instantiate(program, go.importObject));
    if (!ready) throw new Error(said.split("\n", 1)[0] || "the program ended without an answer");
  } catch (fault) {
    postMessage({ fault: fault.message });
  }
};
