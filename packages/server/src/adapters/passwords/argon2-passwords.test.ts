import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { test } from 'node:test'
import { argon2Passwords } from './argon2-passwords.ts'

const passwords = argon2Passwords()

test('matches the right password and no other', async () => {
  const hash = await passwords.hash('correct horse ✓')
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  assert.equal(await passwords.matches('correct horse ✓', hash), true)
  assert.equal(await passwords.matches('correct horse', hash), false)
  assert.equal(await passwords.matches('', hash), false)
})

test('never hashes the same password to the same hash', async () => {
  assert.notEqual(await passwords.hash('twice'), await passwords.hash('twice'))
})

test('an unknown user never matches', async () => {
  for (const password of ['', 'anything', 'x'.repeat(5000)]) assert.equal(await passwords.matches(password, undefined), false)
})

test('accepts passwords up to 1,024 bytes, counted in bytes', async () => {
  const longest = 'ü'.repeat(512)
  const hash = await passwords.hash(longest)
  assert.equal(await passwords.matches(longest, hash), true)
  assert.equal(await passwords.matches(`${longest}x`, hash), false)
  await assert.rejects(passwords.hash(`${longest}x`), /at most 1024 bytes/)
})

test('unknown user, overlong password, wrong and right password cost the same work', async () => {
  const hash = await passwords.hash('right')
  const cases: [string, string | undefined][] = [
    ['right', hash],
    ['wrong', hash],
    ['right', undefined],
    ['x'.repeat(1_000_000), hash],
  ]
  /** The minimum of each case: a cheaper case stays cheaper in every round, and other load does not matter. */
  const least = cases.map(() => Infinity)
  const areTheSame = (): boolean => Math.min(...least) > Math.max(...least) * 0.6
  for (let round = 0; round < 7 || (round < 100 && !areTheSame()); round++) {
    for (const [index, [password, known]] of cases.entries()) {
      const before = process.cpuUsage()
      await passwords.matches(password, known)
      const { user, system } = process.cpuUsage(before)
      least[index] = Math.min(least[index]!, user + system)
    }
  }
  assert.ok(areTheSame(), `processor time in microseconds: ${least.join()}`)
})

test('never computes more than two hashes concurrently, and completes all of them', async () => {
  const running = new Set<number>()
  let max = 0
  let total = 0
  const hook = createHook({
    init(id, type) {
      // The native library starts its background work without a name.
      if (type !== 'undefined') return
      total++
      running.add(id)
      max = Math.max(max, running.size)
    },
    before: (id) => void running.delete(id),
  }).enable()
  try {
    const one = argon2Passwords()
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => one.matches(`guess ${index}`, undefined)))
    assert.deepEqual(answers, Array(8).fill(false))
    await assert.rejects(Promise.all([one.matches('x', 'not a hash'), one.matches('x', 'not a hash'), one.matches('x', 'not a hash')]))
    assert.equal(await one.matches('after failures', undefined), false)
  } finally {
    hook.disable()
  }
  assert.ok(total >= 9, `only ${total} computations were seen`)
  assert.equal(max, 2)
})
