import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { byHand, settle, smppMessage, smppPair } from '../testing/smpp-sessions.ts'
import { encodePdu } from '../pdu/encode.ts'
import type { MessageRequest } from '../pdu/pdu.ts'
import type { MessageReply } from './session-options.ts'
import { SmppNotSent, SmppRefused, SmppUnanswered } from '../pdu/smpp-error.ts'
import { status } from '../pdu/status.ts'

test('window: limits unanswered requests, queues more, rejects the excess', async (t) => {
  const { session, received, say, bind } = byHand(t, { window: 3, waiting: 2 })
  await bind()
  const sent = Array.from({ length: 6 }, (_, index) => session.send(smppMessage(String(index))))
  await assert.rejects(sent.pop()!, SmppNotSent)
  await settle()
  assert.equal(received.length, 3)
  say({ command: 'submit_sm_resp', status: 0, sequence: received[1]!.sequence, messageId: 'second', tlvs: {} })
  assert.equal((await sent[1]!).messageId, 'second')
  await settle()
  assert.equal(received.length, 4, 'one left, one came')
  session.destroy('enough')
  const ends = await Promise.allSettled(sent)
  const names = ends.map((end) => (end.status === 'rejected' ? (end.reason as Error).name : 'taken'))
  assert.deepEqual(names, ['SmppUnanswered', 'taken', 'SmppUnanswered', 'SmppUnanswered', 'SmppNotSent'])
})

test('without a response: reports possibly sent, ignores a late one, checks the link', async (t) => {
  const { session, received, say, bind, clock } = byHand(t, { window: 1 })
  await bind()
  const lost = assert.rejects(session.send(smppMessage()), SmppUnanswered)
  const waits = assert.rejects(session.send(smppMessage()), SmppNotSent)
  await clock.advance(10_000)
  await Promise.all([lost, waits])
  assert.deepEqual(
    received.map(({ command }) => command),
    ['submit_sm', 'enquire_link'],
  )
  assert.equal(clock.pending(), 2, 'one timer looks after all requests, another after the connection')
  say({ command: 'enquire_link_resp', status: 0, sequence: received[1]!.sequence })
  say({ command: 'submit_sm_resp', status: 0, sequence: received[0]!.sequence, messageId: 'late', tlvs: {} })
  await settle()
  const next = session.send(smppMessage())
  await settle()
  say({ command: 'submit_sm_resp', status: 0, sequence: received[2]!.sequence, messageId: 'in time', tlvs: {} })
  assert.equal((await next).messageId, 'in time')
})

test('sends enquire_link to a silent far end and drops it without a response', async (t) => {
  const { session, received, bind, clock, say } = byHand(t)
  await bind()
  await clock.advance(29_000)
  say({ command: 'enquire_link', sequence: 1 })
  await settle()
  await clock.advance(29_000)
  assert.deepEqual(
    received.map(({ command }) => command),
    ['enquire_link_resp'],
    'it said something',
  )
  await clock.advance(1_000)
  assert.equal(received[1]!.command, 'enquire_link')
  assert.notEqual(session.bound, undefined)
  await clock.advance(10_000)
  assert.match(await session.closed, /does not answer/)
  assert.equal(clock.pending(), 0)
})

test('ignores a response of another kind or without a request', async (t) => {
  const { session, received, say, bind } = byHand(t)
  await bind()
  const sent = session.send(smppMessage())
  await settle()
  const { sequence } = received[0]!
  say({ command: 'deliver_sm_resp', status: 0, sequence, messageId: 'wrong', tlvs: {} })
  say({ command: 'submit_sm_resp', status: 0, sequence: sequence + 1, messageId: 'wrong', tlvs: {} })
  say({ command: 'generic_nack', status: status.systemError, sequence: 0 })
  say({ command: 'submit_sm_resp', status: 0, sequence, messageId: 'right', tlvs: {} })
  assert.equal((await sent).messageId, 'right')
  const refused = session.send(smppMessage())
  await settle()
  say({ command: 'generic_nack', status: status.systemError, sequence: received[1]!.sequence })
  await assert.rejects(refused, { name: 'SmppRefused', status: status.systemError })
})

test('pauses after throttling, longer each time, until a success', async (t) => {
  let answer: number = status.throttled
  const times: number[] = []
  const { esme, clock } = await smppPair(t, { window: 2 }, { message: async () => (times.push(clock.now()), { status: answer }) })
  const startedAt = clock.now()
  await assert.rejects(esme.send(smppMessage()), { name: 'SmppRefused', status: status.throttled })
  const second = assert.rejects(esme.send(smppMessage()), SmppRefused)
  await clock.advance(1_000)
  await second
  const third = esme.send(smppMessage())
  answer = status.ok
  await clock.advance(1_999)
  assert.equal(times.length, 2)
  await clock.advance(1)
  await third
  assert.deepEqual(
    times.map((at) => at - startedAt),
    [0, 1_000, 3_000],
  )
  await esme.send(smppMessage())
})

test('keeps an agreed rate', async (t) => {
  const times: number[] = []
  const { esme, clock } = await smppPair(t, { perSecond: 5 }, { message: async () => (times.push(clock.now()), { status: 0 }) })
  const sent = Promise.all(Array.from({ length: 6 }, () => esme.send(smppMessage())))
  await clock.advance(1_000)
  await sent
  assert.deepEqual(
    times.map((at) => at - times[0]!),
    [0, 200, 400, 600, 800, 1_000],
  )
})

test('processes a few messages concurrently, queues a few, rejects the rest for later; a failure loses none', async (t) => {
  const running: (() => void)[] = []
  let max = 0
  const faults: unknown[] = []
  const work = async ({ shortMessage }: MessageRequest): Promise<MessageReply> => {
    await new Promise<void>((resolve) => (max = Math.max(max, running.push(resolve))))
    if (String(shortMessage) === '0') throw new Error('the disk is full')
    return { status: status.ok }
  }
  const { esme } = await smppPair(t, {}, { message: work, concurrency: 2, backlog: 3, fault: (error) => faults.push(error) })
  const sent = Array.from({ length: 7 }, (_, index) =>
    esme.send(smppMessage(String(index))).then(
      () => 0,
      ({ status: code }: SmppRefused) => code,
    ),
  )
  for (let done = 0; done < 5;) {
    await settle()
    done += running.length
    for (const finish of running.splice(0)) finish()
  }
  assert.equal(max, 2)
  assert.deepEqual(await Promise.all(sent), [status.systemError, 0, 0, 0, 0, status.throttled, status.throttled])
  assert.equal(faults.length, 1)
})

test('stops reading while the far end does not read; memory does not grow', async (t) => {
  let worked = 0
  const { session, there, bind } = byHand(t, { message: async () => (worked++, { status: 0 }) })
  await bind()
  there.pause()
  const deliver = encodePdu({ ...smppMessage(), command: 'deliver_sm', sequence: 1 })
  const flood = Buffer.concat(Array.from({ length: 500 }, () => deliver))
  for (let i = 0; i < 100; i++) {
    there.write(flood)
    await setImmediate()
  }
  await settle()
  const early = worked
  assert.ok(early < 20_000, `${early} of 50,000 were worked on`)
  there.resume()
  await settle()
  assert.ok(worked > early)
  session.destroy('enough')
})
