import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Histogram } from './distribution.ts'
import { prometheusText } from './exposition.ts'
import type { Family } from './table.ts'
import { families, familiesOf } from './table.ts'

test('has names, labels and bounds valid for Prometheus', () => {
  const all = Object.entries<Family>(families)
  assert.equal(all.length, Object.values(familiesOf).flatMap((area) => Object.keys(area)).length, 'a name stands in two areas')
  for (const [name, { type, help, labels, bounds = [] }] of all) {
    assert.match(name, /^(offhook|process|nodejs)_[a-z0-9_]+$/)
    assert.equal(name.endsWith('_total'), type === 'counter', name)
    assert.doesNotMatch(name, /_(bucket|sum|count)$/)
    assert.match(help, /^[^\n\\]+\.$/, name)
    for (const label of labels) assert.match(label, /^(?!le$|__)[a-z_]+$/, name)
    assert.equal(bounds.length > 0, type === 'histogram', name)
    assert.deepEqual(
      bounds,
      [...new Set(bounds)].toSorted((a, b) => a - b),
      name,
    )
  }
})

test('has no unbounded or private labels', () => {
  const known = 'class direction id kind name node outcome part reason state thread trunk version'
  const used = new Set(Object.values<Family>(families).flatMap(({ labels }) => labels))
  assert.equal([...used].toSorted().join(' '), known, 'think about it, then add it here')
})

test('groups values by name, escapes labels and omits names without values', () => {
  const text = prometheusText([
    { name: 'offhook_trunk_up', labels: { trunk: 'a', name: 'C:\\"x"\n' }, value: 0 },
    { name: 'offhook_calls_started_total', value: 3 },
    { name: 'offhook_trunk_up', labels: { trunk: 'b', name: 'other' }, value: 1 },
  ])
  assert.equal(
    text,
    `# HELP offhook_calls_started_total Calls that came or were begun.
# TYPE offhook_calls_started_total counter
offhook_calls_started_total 3
# HELP offhook_trunk_up 1: calls can go out over the trunk, as this process sees it.
# TYPE offhook_trunk_up gauge
offhook_trunk_up{trunk="a",name="C:\\\\\\"x\\"\\n"} 0
offhook_trunk_up{trunk="b",name="other"} 1
`,
  )
})

test('counts the values up to each bound in a histogram', () => {
  const mos = new Histogram(families.offhook_rtp_mos.bounds)
  for (const value of [4.5, 4.31, 4.3, 1.2, 9]) mos.add(value)
  const lines = prometheusText([{ name: 'offhook_rtp_mos', value: mos }])
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  assert.deepEqual(lines, [
    'offhook_rtp_mos_bucket{le="1"} 0',
    'offhook_rtp_mos_bucket{le="2"} 1',
    'offhook_rtp_mos_bucket{le="2.6"} 1',
    'offhook_rtp_mos_bucket{le="3.1"} 1',
    'offhook_rtp_mos_bucket{le="3.6"} 1',
    'offhook_rtp_mos_bucket{le="4"} 1',
    'offhook_rtp_mos_bucket{le="4.3"} 2',
    'offhook_rtp_mos_bucket{le="4.5"} 4',
    'offhook_rtp_mos_bucket{le="+Inf"} 5',
    `offhook_rtp_mos_sum ${4.5 + 4.31 + 4.3 + 1.2 + 9}`,
    'offhook_rtp_mos_count 5',
  ])
})
