import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setupTimes } from '../shared/setup-times.ts'
import { filledIn } from './asterisk.ts'
import { portsIn } from './far-ends.ts'
import { ratios, summedUp, type Round } from './rounds.ts'

const round = (cpu: number, more: Partial<Round> = {}): Round => ({ failed: 0, load: 1, figures: { cpu }, ...more })

test('discards and reports rounds with failures, lost RTP or a busy machine', () => {
  const rounds = [
    round(3),
    round(99, { failed: 2 }),
    round(1),
    round(98, { load: 2.4 }),
    round(97, { heard: 0.9 }),
    round(2, { heard: 0.995 }),
  ]
  assert.deepEqual(summedUp(rounds, 2), {
    rounds: 3,
    thrownAway: ['2 calls failed', 'the load was 2.4', '10 % of the sound was lost'],
    figures: { cpu: { median: 2, lowest: 1, highest: 3 } },
  })
})

test('returns no figures and no ratio without a valid round', () => {
  const none = summedUp([round(1, { failed: 1 })], 2)
  assert.deepEqual(none, { rounds: 0, thrownAway: ['1 calls failed'], figures: {} })
  assert.deepEqual(ratios(none, summedUp([round(1)], 2)), {})
})

test("divides Offhook's figures by the other's", () => {
  const sum = (cpu: number, figures: Record<string, number> = {}) => summedUp([round(0, { figures: { cpu, ...figures } })], 2)
  assert.deepEqual(ratios(sum(1, { onlyOurs: 3 }), sum(3)), { cpu: 0.333 })
})

test('reads RTP ports from the sipp log', () => {
  assert.deepEqual(portsIn('m=audio 40002\nm=audio 40118\n'), [40_002, 40_118])
})

test('fails on a configuration placeholder without a value', () => {
  assert.equal(filledIn('bind = {{host}}:{{port}}', { host: '127.0.0.1', port: 5060 }), 'bind = 127.0.0.1:5060')
  assert.throws(() => filledIn('match = {{carrier}}', {}), /wants \{\{carrier\}\}/)
})

test('measures set-up from the first INVITE to its 200', () => {
  const part = (at: string, first: string): string =>
    `----------------------------------------------- ${at}\nUDP message\n\n${first}\nCall-ID: 1-2@127.0.0.2\nCSeq: 1 INVITE\n\n`
  const messages = [
    part('2026-11-17 05:00:11.100000', 'INVITE sip:1@127.0.0.1 SIP/2.0'),
    part('2026-11-17 05:00:11.600000', 'INVITE sip:1@127.0.0.1 SIP/2.0'),
    part('2026-11-17 05:00:11.601000', 'SIP/2.0 180 Ringing'),
    part('2026-11-17 05:00:11.612500', 'SIP/2.0 200 OK'),
  ]
  assert.deepEqual(setupTimes(messages.join('')).map(Math.round), [513])
})
