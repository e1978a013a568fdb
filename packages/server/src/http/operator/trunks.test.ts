import assert from 'node:assert/strict'
import test from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

for (const database of databases) {
  test(`${database}: stores trunks with validated settings and a write-only password`, async (t) => {
    const world = await startWorld(t, { database })
    const operator = await world.operator()
    const plain = await operator.createTrunk({}, { name: 'Plain', host: 'SIP.Carrier.example' })
    assert.deepEqual(
      { ...plain, id: '', createdAt: '', updatedAt: '' },
      {
        id: '',
        name: 'Plain',
        host: 'sip.carrier.example',
        port: 5060,
        transport: 'UDP',
        outboundProxy: '',
        username: '',
        passwordSet: false,
        realm: '',
        register: false,
        registerSeconds: 600,
        sourceAddresses: [],
        mediaAddresses: [],
        numberFormat: 'PLUS',
        defaultNumber: '',
        codecs: ['PCMA', 'PCMU'],
        maxCalls: 10,
        strictMaxCalls: false,
        emergencyLocation: false,
        callsPerSecond: 1,
        priority: 100,
        active: true,
        createdAt: '',
        updatedAt: '',
      },
    )
    const secret = 'the carrier gave us this'
    const login = { username: '4930123', password: secret, register: true }
    const full = await operator.createTrunk(
      {},
      {
        name: 'Full',
        host: '2001:db8::1',
        transport: 'TLS',
        ...login,
        priority: 1,
        sourceAddresses: ['192.0.2.1', '198.51.100.0/24', '2001:db8::/32'],
        mediaAddresses: ['203.0.113.0/24'],
        codecs: ['G722'],
        defaultNumber: '49 30 23125042',
        active: false,
      },
    )
    assert.equal(full.defaultNumber, '+493023125042')
    for (const defaultNumber of ['030 23125042', 'reception', '+49'])
      await assert.rejects(operator.createTrunk({}, { name: 'X', host: 'a.example', defaultNumber }), { status: 400 }, defaultNumber)
    assert.equal(full.port, 5061)
    assert.equal(full.passwordSet, true)
    assert.ok(!JSON.stringify(full).includes(secret))
    assert.deepEqual(
      (await operator.listTrunks()).items.map(({ name }) => name),
      ['Full', 'Plain'],
    )

    const { store, vault } = world.running.deps
    const stored = await store.read.trunks.find(full.id)
    assert.ok(!JSON.stringify(stored).includes(secret))
    assert.equal(vault.open(stored?.passwordSealed ?? ''), secret)

    const trunkId = full.id
    await world.clock.advance(1000)
    const moved = { name: 'Kept', host: 'a.example', username: '4930123', register: true }
    const again = withCode('parameter_invalid', 'password')
    await assert.rejects(operator.updateTrunk({ trunkId }, moved), again)
    await assert.rejects(operator.updateTrunk({ trunkId }, { ...moved, host: '2001:db8::1', outboundProxy: 'a.example' }), again)
    await operator.updateTrunk({ trunkId }, { ...moved, password: secret })
    await operator.updateTrunk({ trunkId }, moved)
    const kept = await operator.readTrunk({ trunkId })
    assert.deepEqual([kept.name, kept.passwordSet, kept.transport, kept.sourceAddresses], ['Kept', true, 'UDP', []])
    assert.ok(kept.updatedAt > kept.createdAt)
    await assert.rejects(
      operator.updateTrunk({ trunkId }, { name: 'X', host: 'a.example', username: 'u', register: true, password: null }),
      { status: 400 },
    )
    await operator.updateTrunk({ trunkId }, { name: 'Open', host: 'a.example', password: null })
    assert.equal((await operator.readTrunk({ trunkId })).passwordSet, false)

    await operator.deleteTrunk({ trunkId })
    await assert.rejects(operator.readTrunk({ trunkId }), { status: 404 })
    await assert.rejects(operator.deleteTrunk({ trunkId }), { status: 404 })
    await assert.rejects(operator.updateTrunk({ trunkId }, { name: 'X', host: 'a.example' }), { status: 404 })
  })
}

test('rejects invalid trunks', async (t) => {
  const world = await startWorld(t)
  const operator = await world.operator()
  const good = { name: 'T', host: 'sip.example' }
  const wrong: [object, string][] = [
    [{ ...good, host: 'sip.example:5060' }, 'host'],
    [{ ...good, host: '1.2.3' }, 'host'],
    [{ ...good, host: '256.1.1.1' }, 'host'],
    [{ ...good, host: 'sip example' }, 'host'],
    [{ ...good, host: '-x.example' }, 'host'],
    [{ ...good, port: 0 }, 'port'],
    [{ ...good, port: 70_000 }, 'port'],
    [{ ...good, transport: 'SCTP' }, 'transport'],
    [{ ...good, sourceAddresses: ['192.0.2.1', '10.0.0.0/33'] }, 'sourceAddresses/1'],
    [{ ...good, sourceAddresses: ['0.0.0.0/0'] }, 'sourceAddresses/0'],
    [{ ...good, mediaAddresses: ['192.0.2.1', '::/0'] }, 'mediaAddresses/1'],
    [{ ...good, sourceAddresses: ['010.0.0.1'] }, 'sourceAddresses/0'],
    [{ ...good, sourceAddresses: ['fe80::1%eth0'] }, 'sourceAddresses/0'],
    [{ ...good, sourceAddresses: ['sip.example'] }, 'sourceAddresses/0'],
    [{ ...good, sourceAddresses: ['10.0.0.0/8/8'] }, 'sourceAddresses/0'],
    [{ ...good, register: true }, 'username'],
    [{ ...good, register: true, username: 'u' }, 'password'],
    [{ ...good, password: 'p' }, 'username'],
    [{ ...good, username: 'u\r\nVia: x', password: 'p' }, 'username'],
    [{ ...good, realm: 'a"b' }, 'realm'],
    [{ ...good, codecs: [] }, 'codecs'],
    [{ ...good, codecs: ['MP3'] }, 'codecs/0'],
    [{ ...good, maxCalls: 0 }, 'maxCalls'],
    [{ ...good, passwort: 'p' }, 'passwort'],
    [{ host: 'sip.example' }, 'name'],
  ]
  for (const [body, field] of wrong) {
    await assert.rejects(
      operator.createTrunk({}, body as typeof good),
      (error: { status: number; body: { details?: { field: string }[] } }) => {
        assert.deepEqual([error.status, error.body.details?.[0]?.field], [400, field], JSON.stringify(body))
        return true
      },
    )
  }
  assert.deepEqual((await operator.listTrunks()).items, [])
})
