import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { ScriptedFaxEngine, sentWell } from '#test/fax/scripted-fax-engine.ts'
import { Office, plainDial } from '#test/phones/telephone-office.ts'
import { parseSdp } from '@offhook/sip/sdp/parse-sdp.ts'

const number = '+493023125099'
const toSend = { file: '/tmp/a.tif', firstPage: 0, station: '+49 30 2', header: 'Bakery' }
const toReceive = { file: '/tmp/b.tif', station: '+49 30 3' }
const t38Offer = ['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0', 'm=image 5000 udptl t38', ''].join('\r\n')

const openOffice = async (t: TestContext): Promise<{ office: Office; engine: ScriptedFaxEngine }> => {
  const engine = new ScriptedFaxEngine()
  return { office: await Office.open(t, { telephony: { fax: engine } }), engine }
}

const linesOf = (sdp: string | undefined): string[] =>
  parseSdp(sdp ?? '').media.map(
    ({ kind, payloads, formats }) => `${kind} ${[...payloads.map(({ encoding }) => encoding), ...formats].join()}`,
  )

test('a fax over a trunk sends its caller ID, offers audio for modems, and counts as a call until its end', async (t) => {
  const { office, engine } = await openOffice(t)
  const { phone, trunkId } = await office.carrier('127.0.0.2', { maxCalls: 1 })
  const target = { kind: 'trunk', trunkId, number, emergency: false } as const
  const [leg] = await office.telephony.dialFax(target, plainDial)
  assert.ok(leg)
  assert.deepEqual(await office.telephony.dialFax(target, plainDial), [], 'there is no room for another')
  const result = leg.send(toSend)
  const { call, invite } = await phone.incoming()
  assert.deepEqual(linesOf(invite.sdp), ['audio PCMA,PCMU'])
  assert.match(invite.request.header('from') ?? '', /493023125042/)
  await phone.accept({ call, invite })
  const [stream] = engine.streams
  stream?.finish(sentWell)
  assert.deepEqual(await result, sentWell)
  assert.equal((await call.ended).by, 'peer')
  assert.equal(office.telephony.trunkHealth(trunkId).calls, 0)
  assert.equal((await office.telephony.dialFax(target, plainDial)).length, 1)
})

test("sends a device's fax to every binding", async (t) => {
  const { office, engine } = await openOffice(t)
  const { phone, deviceId } = await office.phone()
  const [leg, ...others] = await office.telephony.dialFax({ kind: 'device', accountId: office.accountId, deviceId }, plainDial)
  assert.ok(leg)
  assert.deepEqual(others, [])
  const { call } = await phone.incoming()
  call.session.reject(486)
  assert.deepEqual(await leg.ended, { by: 'peer', cause: 'busy', status: 486 })
  assert.equal(engine.streams[0]?.closed, true)
  const unspecified = { kind: 'device', accountId: office.accountId, deviceId: (await office.login()).deviceId } as const
  assert.deepEqual(await office.telephony.dialFax(unspecified, plainDial), [])
  engine.missing = 'apt install libspandsp2'
  const target = { kind: 'device', accountId: office.accountId, deviceId } as const
  await assert.rejects(office.telephony.dialFax(target, plainDial), { name: 'FaxUnavailable', message: engine.missing })
})

test('gives a call to a fax machine, also with T.38 in the first offer, and ends with it', async (t) => {
  const { office, engine } = await openOffice(t)
  const { call, leg } = await office.receiveCall(number, { sdp: t38Offer })
  const fax = leg.asFax()
  const result = fax.receive(toReceive)
  assert.deepEqual(linesOf(Buffer.from((await call.answered).body).toString()), ['image t38'])
  assert.deepEqual(engine.streams[0]?.lines, ['T.38 127.0.0.1:5000'])
  await call.session.end()
  await result
  assert.deepEqual(
    [await leg.ended, await fax.ended],
    [
      { by: 'peer', cause: 'normal' },
      { by: 'peer', cause: 'normal' },
    ],
  )
  assert.equal(fax.answered, true)
})

test('rejects a T.38-only offer with 488, with or without a modem', async (t) => {
  const { office, engine } = await openOffice(t)
  const { phone, call, leg } = await office.receiveCall(number, { sdp: t38Offer })
  leg.ring()
  assert.equal((await call.ended).status, 488)
  assert.equal((await leg.ended).cause, 'not_acceptable')
  engine.missing = 'apt install libspandsp2'
  assert.equal(office.telephony.faxMissing, engine.missing)
  assert.equal((await phone.call(number, { sdp: t38Offer }).ended).status, 488)
})

test('only an inbound call can be given to a fax machine', async (t) => {
  const { office } = await openOffice(t)
  const { deviceId } = await office.phone()
  const [leg] = await office.dialDevice(deviceId)
  assert.throws(() => leg?.asFax())
  await leg?.hangUp('normal')
})
