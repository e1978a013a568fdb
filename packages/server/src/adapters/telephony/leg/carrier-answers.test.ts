import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Office, plainDial } from '#test/phones/telephone-office.ts'
import { statusOf } from './causes.ts'

const outside = { kind: 'trunk', number: '+33142278186', emergency: false } as const

test("maps a trunk's 402 to a trunk failure and shows it to the operator", async (t) => {
  const changes: (string | undefined)[] = []
  const office = await Office.open(t, { telephony: { onTrunkChanged: (_, { problem }) => changes.push(problem) } })
  const { phone, trunkId } = await office.carrier('127.0.0.2')
  const [leg] = await office.telephony.dial({ ...outside, trunkId }, plainDial)
  const { call } = await phone.incoming()
  call.session.reject(402)
  const end = await leg?.ended
  assert.deepEqual(end, { by: 'peer', cause: 'overloaded', status: 402 })
  assert.equal(statusOf(end.cause), 503)
  assert.equal(office.telephony.trunkStates.of(trunkId)?.problem, '402 Payment Required')
  assert.ok(changes.includes('402 Payment Required'))

  const [next] = await office.telephony.dial({ ...outside, trunkId }, plainDial)
  await phone.accept(await phone.incoming())
  await next?.hangUp('normal')
  assert.equal(office.telephony.trunkStates.of(trunkId)?.problem, undefined, 'until a call goes well again')
})

test('sends the hop count to our phones, but not to carriers', async (t) => {
  const office = await Office.open(t)
  const { phone: carrier, trunkId } = await office.carrier('127.0.0.2')
  const { phone, deviceId } = await office.phone()
  await office.telephony.dial({ ...outside, trunkId }, { ...plainDial, hops: 2 })
  await office.dialDevice(deviceId, { ...plainDial, hops: 2 })
  assert.equal((await carrier.incoming()).invite.request.header('x-offhook-hops'), undefined)
  assert.equal((await phone.incoming()).invite.request.header('x-offhook-hops'), '2')
})

test('passes on a 183 without SDP unchanged, as neither ringing nor early media', async (t) => {
  const office = await Office.open(t)
  const { phone: carrier, trunkId } = await office.carrier('127.0.0.2')
  const { phone } = await office.phone({ registered: false })
  const statuses: number[] = []
  const call = phone.call('+33142278186')
  const { leg: near } = await office.incoming()
  const [far] = await office.telephony.dial({ ...outside, trunkId }, plainDial)
  const heard: string[] = []
  const progressed = new Promise<void>((resolve) =>
    far?.observe({
      ringing: () => heard.push('ringing'),
      earlyAudio: () => heard.push('early audio'),
      progressing: () => {
        near.proceed()
        resolve()
      },
    }),
  )
  call.session.observe({ progress: ({ status }) => void statuses.push(status), ended: () => {} })
  const { call: arrived } = await carrier.incoming()
  await arrived.session.progress(183)
  await progressed
  assert.deepEqual(heard, [])
  await near.hangUp('normal')
  await call.session.ended
  assert.ok(statuses.includes(183), String(statuses))
})
