// Counts the time that React spends on work it has put off. It must be loaded before React is, which
// takes its message channel once and for all.
let spent = 0;

const onmessage = Object.getOwnPropertyDescriptor(MessagePort.prototype, "onmessage");
Object.defineProperty(MessagePort.prototype, "onmessage", {
  ...onmessage,
  set(handler) {
    onmessage.set.call(this, (event) => {
      const start = performance.now();
      handler(event);
      spent += performance.now() - start;
    });
  },
});

export const deferredMs = () => spent;

// Resolves once nothing that was put off is left.
export const idle = () => scheduler.postTask(() => {}, { priority: "background" });
