import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Office, plainDial } from '#test/phones/telephone-office.ts'

test("shows the caller's number to emergency services, also over a full trunk", async (t) => {
  const office = await Office.open(t)
  const { phone, trunkId } = await office.carrier('127.0.0.2', { maxCalls: 1, numberFormat: 'DOUBLE_ZERO' })
  const target = { kind: 'trunk', trunkId, number: '112', emergency: true } as const
  const withheld = { ...plainDial, caller: { ...plainDial.caller, withheld: true } }
  for (const round of ['first', 'second']) {
    await office.telephony.dial(target, withheld)
    const { invite } = await phone.incoming()
    assert.match(invite.request.uri, /^sip:112@/, round)
    assert.match(invite.request.from.uri, /^sip:00493023125042@/)
    assert.equal(invite.request.header('privacy'), undefined)
  }
})

const home = {
  id: 1,
  poBox: '',
  extendedAddress: 'Haus <B>',
  street: 'Unter den Linden',
  houseNumber: '12a',
  locality: 'Berlin',
  region: '',
  postalCode: '10117',
  country: 'DE',
}

test('marks emergency calls, and sends the location to a carrier that requests it', async (t) => {
  const office = await Office.open(t)
  const asking = await office.carrier('127.0.0.2', { emergencyLocation: true })
  const other = await office.carrier('127.0.0.3')
  const dial = async ({ phone, trunkId }: typeof asking) => {
    await office.telephony.dial({ kind: 'trunk', trunkId, number: '112', emergency: true, location: home }, plainDial)
    return phone.incoming()
  }
  const { invite } = await dial(asking)
  const { request } = invite
  assert.equal(request.header('priority'), 'emergency')
  assert.equal(request.header('geolocation'), '<cid:location@127.0.0.2>')
  assert.equal(request.header('geolocation-routing'), 'yes')
  assert.match(request.header('content-type') ?? '', /^multipart\/mixed;boundary=\w+$/)
  assert.match(invite.sdp ?? '', /^v=0\r\n/)
  const body = Buffer.from(request.body).toString()
  assert.match(body, /Content-Type: application\/pidf\+xml\r\nContent-ID: <location@127\.0\.0\.2>\r\n/)
  const civic = [...body.matchAll(/<ca:(\w+)>([^<]*)<\/ca:\1>/g)].map(([, name, value]) => `${name}=${value}`)
  assert.deepEqual(civic, ['country=DE', 'A3=Berlin', 'RD=Unter den Linden', 'HNO=12', 'HNS=a', 'LOC=Haus &lt;B&gt;', 'PC=10117'])
  assert.match(body, /entity="pres:\+493023125042@127\.0\.0\.2"/)

  const plain = (await dial(other)).invite.request
  assert.equal(plain.header('priority'), 'emergency')
  assert.deepEqual([plain.header('geolocation'), plain.header('content-type')], [undefined, 'application/sdp'])
})

test('repeats an emergency call without the location when the carrier rejects it', async (t) => {
  const office = await Office.open(t)
  const { phone, trunkId } = await office.carrier('127.0.0.2', { emergencyLocation: true })
  for (const status of [400, 415, 424, 503]) {
    const [leg] = await office.telephony.dial({ kind: 'trunk', trunkId, number: '112', emergency: true, location: home }, plainDial)
    const first = await phone.incoming()
    assert.ok(first.invite.request.header('geolocation') !== undefined)
    first.call.session.reject(status)
    const second = await phone.incoming()
    assert.deepEqual([second.invite.request.header('geolocation'), second.invite.request.header('priority')], [undefined, 'emergency'])
    second.call.session.reject(486)
    assert.deepEqual(await leg?.ended, { by: 'peer', cause: 'busy', status: 486 }, String(status))
  }
})
