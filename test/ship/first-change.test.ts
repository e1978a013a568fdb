import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkout, knows } from '#test/checkout/checkout.ts'
import { firstChange, take } from '#test/checkout/first-change.ts'

test(
  'runs the first change of CONTRIBUTING.md: a test that fails, and passes after the work',
  { skip: !knows('HEAD') && 'no history here' },
  async (t) => {
    const folder = await checkout(t, 'HEAD')
    const [install, test, run, work, again, check, ...more] = firstChange(folder)
    assert.ok(install && test && run && work && again && check)
    assert.deepEqual([test.kind, run.kind, work.kind, more.length], ['diff', 'sh', 'diff', 0])
    assert.equal(install.text, 'npm ci\n') // measured by bench/start/first-change.ts, in a separate clone
    assert.equal(check.text, 'npm run check\n') // as .ci/run does

    assert.deepEqual(again, run)

    // As from a terminal: without the variables of the current test run.
    const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('NODE_TEST_')))
    take(folder, test)
    const before = take(folder, run, environment)
    assert.ok(!before.ok)
    assert.match(before.said, /See you later/)
    take(folder, work)
    const after = take(folder, run, environment)
    assert.ok(after.ok, after.said)
  },
)
