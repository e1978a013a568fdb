import { test, type TestContext } from 'node:test'

/** Few: what is wrong now and then must not hide here. Repeats are printed. */
const attempts = 3

/**
 * A test of sound that goes over real sockets in real time. A machine that stands still for a moment garbles it, as a bad line does; then it is
 * tried again from the beginning, in a scope of its own.
 */
export const realTimeTest = (name: string, body: (t: TestContext) => Promise<void>): void =>
  void test(name, async (t) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await inScope(t, body)
      } catch (error) {
        if (attempt === attempts) throw error
        t.diagnostic(`once more, because of ${String(error).split('\n', 1)[0]}`)
      }
    }
  })

/** What the body leaves to be closed is closed when it is over, also when it failed. */
const inScope = async (t: TestContext, body: (t: TestContext) => Promise<void>): Promise<void> => {
  const closers: (() => unknown)[] = []
  const scope = new Proxy(t, {
    get: (_, name) => {
      if (name === 'after') return (close: () => unknown) => void closers.push(close)
      const value: unknown = Reflect.get(t, name, t)
      return typeof value === 'function' ? (value.bind(t) as unknown) : value
    },
  })
  try {
    await body(scope)
  } finally {
    for (const close of closers) await close()
  }
}
