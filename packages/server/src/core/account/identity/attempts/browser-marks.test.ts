import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import type { Vault } from '#core/kernel/ports/platform.ts'
import { knownBrowser, markBrowser, markLifetime } from './browser-marks.ts'

const vaultOf = (key: number): Vault => ({ seal: String, open: String, derive: () => new Uint8Array(32).fill(key) })

test('recognises a browser by the logged-in name for 180 days after the last login', async () => {
  const clock = new VirtualClock()
  const parts = { vault: vaultOf(1), clock }
  const first = markBrowser(parts, '', ' Ada@Example.com')
  const id = knownBrowser(parts, first, 'ada@example.com')
  assert.match(id ?? '', /^[\w-]{22}$/)
  assert.equal(knownBrowser(parts, first, 'bob@example.com'), undefined)
  assert.equal(knownBrowser({ ...parts, vault: vaultOf(2) }, first, 'ada@example.com'), undefined, 'of another installation')
  await clock.advance(markLifetime * 1000 - 1000)
  const renewed = markBrowser(parts, first, 'ada@example.com')
  await clock.advance(1000)
  assert.equal(knownBrowser(parts, first, 'ada@example.com'), undefined)
  assert.equal(knownBrowser(parts, renewed, 'ada@example.com'), id, 'and stays the same browser')
})

test('keeps marks of five names per browser and drops forged or malformed ones', () => {
  const parts = { vault: vaultOf(1), clock: new VirtualClock() }
  const names = Array.from({ length: 6 }, (_, index) => `user${index}@example.com`)
  const marks = names.reduce((kept, name) => markBrowser(parts, kept, name), 'garbage~x.1.y')
  assert.deepEqual(
    names.map((name) => knownBrowser(parts, marks, name) !== undefined),
    [false, true, true, true, true, true],
  )
  const [newest = ''] = marks.split('~')
  const [id = '', expires = '', signature = ''] = newest.split('.')
  const later = [id, String(Number(expires) + 1), signature].join('.')
  assert.equal(knownBrowser(parts, later, 'user5@example.com'), undefined)
  assert.equal(knownBrowser(parts, `${newest}x`, 'user5@example.com'), undefined)
})
