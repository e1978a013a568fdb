import assert from 'node:assert/strict'
import { test } from 'node:test'
import { trunkSettings } from '#core/account/trunks/trunk-settings.ts'
import type { ClusterNode, Trunk } from '#core/kernel/ports/store/operate.ts'
import { carriersFile, processesFile } from './edge-files.ts'

const trunk = (id: string, sourceAddresses: string[], more: { priority?: number; active?: boolean } = {}): Trunk => ({
  id,
  name: id,
  settings: trunkSettings({ host: 'sip.carrier.example', sourceAddresses, priority: more.priority ?? 100 }, { hasPassword: false }),
  passwordSealed: undefined,
  active: more.active ?? true,
  createdAt: 0,
  updatedAt: 0,
})

test('lists source addresses for the edge; trunks sharing an address are on one line by priority', () => {
  const trunks = [
    trunk('late', ['192.0.2.0/24'], { priority: 200 }),
    trunk('first', ['192.0.2.0/24', '2001:db8::1'], { priority: 10 }),
    trunk('named', []),
    trunk('off', ['198.51.100.1'], { active: false }),
  ]
  assert.equal(
    carriersFile(trunks, (id) => (id === 'named' ? ['203.0.113.1'] : [])),
    '1 192.0.2.0 24 0 first,late\n1 2001:db8::1 128 0 first\n1 203.0.113.1 32 0 named\n',
  )
})

test('lists the running processes for the edge', () => {
  const work = { calls: 0, sessions: 0, faxes: 0, processors: 0, busy: 0, memoryBytes: 0 }
  const state = { startedAt: 0, draining: true, stopping: false, drain: true, work }
  const node = (sip: string, seenAt: number, region?: string): ClusterNode & { drain: boolean } => ({
    id: sip,
    name: 'n',
    version: '1',
    http: '',
    sip,
    seenAt,
    ...state,
    work: { ...work, ...(region !== undefined && { region }) },
  })
  const nodes = [node('sip:10.0.0.12:5060', 100_000), node('sip:10.0.0.11:5060', 100_000), node('sip:10.0.0.13:5060', 1)]
  const lines = ['1 sip:10.0.0.11:5060 8 0', '2 sip:10.0.0.11:5060 0 0', '1 sip:10.0.0.12:5060 8 0', '2 sip:10.0.0.12:5060 0 0', '']
  assert.equal(processesFile(nodes, { now: 100_000 }), lines.join('\n'))
  const placed = [node('sip:10.0.0.1:5060', 100_000, 'fra'), node('sip:10.1.0.1:5060', 100_000, 'ams'), node('sip:10.2.0.1:5060', 100_000)]
  assert.equal(
    processesFile(placed, { now: 100_000, region: 'ams' }),
    '2 sip:10.0.0.1:5060 0 0\n1 sip:10.1.0.1:5060 8 0\n2 sip:10.1.0.1:5060 0 0\n2 sip:10.2.0.1:5060 0 0\n',
  )
})
