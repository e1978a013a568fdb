import assert from 'node:assert/strict'
import { realTimeTest } from './real-time-test.ts'

let [tries, open] = [0, 0]

realTimeTest('what fails is tried again, after everything of it was closed', async (t) => {
  assert.equal(open, 0)
  open++
  t.after(async () => {
    await Promise.resolve()
    open--
  })
  assert.equal(++tries, 3)
})
