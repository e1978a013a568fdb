import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CallNotice, PhoneNews } from '@offhook/contract/v3/phone.ts'
import { LocalHub, localBus } from '#adapters/bus/local-bus.ts'
import type { BrowserFarEnd, BrowserLegs, PageCall } from '#core/kernel/ports/browser.ts'
import type { PeerNode } from '#core/kernel/ports/platform.ts'
import type { Dial, IncomingCall, Leg, LegEnd } from '#core/kernel/ports/telephony.ts'
import { SharedState } from '#core/kernel/shared-state/shared-state.ts'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { BrowserPhones, type BrowserPhonesDeps } from './browser-phones.ts'

const device = { accountId: '7000001', deviceId: 'e1' }
const owner = { ...device, userId: 'w0' }
const about = { callId: 'core-1', called: '+4930111', line: 'Sales' }
const dial: Dial = { caller: { number: '+49301234', name: 'Someone', withheld: false }, diversions: [], hops: 0, about }

/** Legs without media that log their events. */
const scriptedLegs = () => {
  const did: string[] = []
  const notified: PageCall[] = []
  const legs: BrowserLegs = {
    expectBrowsers: () => {},
    openBrowserLeg(page) {
      notified.push(page)
      const { promise: ended, resolve: end } = Promise.withResolvers<LegEnd>()
      const leg = { ended, hangUp: async (cause: LegEnd['cause']) => end({ by: 'us', cause }) } as unknown as Leg
      const farEnd: BrowserFarEnd = {
        leg,
        prepare: async () => {},
        rings: () => did.push('rings'),
        accepts: async () => page.answered(),
        declines: (cause) => end({ by: 'peer', cause }),
        hangsUp: () => end({ by: 'peer', cause: 'normal' }),
        vanishes: () => end({ by: 'network', cause: 'unavailable' }),
        presses: (digits) => did.push(`presses ${digits}`),
        holds: (value) => did.push(`holds ${value}`),
        transfers: (_to, asked) => asked.failed('busy'),
        reports: () => {},
        carries: async () => (samples) => did.push(`says ${samples.length}`),
      }
      return farEnd
    },
  }
  return { legs, did, told: notified }
}

const peerNode = (name: string): PeerNode => ({ owner: name, http: '', sip: '', version: '', snapshots: 1, calls: 0, draining: false })

const users = { find: async () => ({ active: true }) }
const contacts = { findNames: async () => [{ number: '+49301234', name: 'Grace', contactId: '12' }] }

/** One of two nodes. */
const openProcess = (name: string, hub = new LocalHub(), more: Partial<BrowserPhonesDeps> = {}) => {
  const { legs, did, told: notified } = scriptedLegs()
  const taken: IncomingCall[] = []
  const bus = localBus(hub)
  const clock = new VirtualClock()
  let others = ['one', 'other'].filter((one) => one !== name).map(peerNode)
  const changed = new Set<() => void>()
  const peerNodes = {
    self: name,
    others: () => others,
    onChange: (change: () => void) => (changed.add(change), () => void changed.delete(change)),
  }
  const states: SharedState<never>[] = []
  const phones = new BrowserPhones({
    bus,
    clock,
    peerNodes,
    shared: (notifications) => {
      const state = new SharedState<never>({ bus, peerNodes, clock, kind: 'pages' }, notifications)
      states.push(state)
      return state
    },
    legs,
    calls: { command: async () => {} },
    take: (call) => taken.push(call),
    store: { read: { contacts, users } } as unknown as BrowserPhonesDeps['store'],
    notices: { of: async () => undefined },
    onError: (error) => assert.fail(String(error)),
    ...more,
  })
  const close = (): void => {
    phones.close()
    for (const state of states) state.close()
  }
  const loseOthers = (): void => {
    others = []
    for (const change of changed) change()
  }
  return { phones, did, told: notified, taken, close, loseOthers, clock }
}

const openPage = (phones: BrowserPhones) => {
  const news: PhoneNews[] = []
  let dropped = false
  const page = phones.enter(owner, 'Firefox', { send: (one) => news.push(one), drop: () => (dropped = true) })
  const last = <T extends PhoneNews['type']>(type: T) => news.findLast((one): one is Extract<PhoneNews, { type: T }> => one.type === type)
  const pageId = last('ready')?.pageId ?? assert.fail()
  return { ...page, news, last, pageId, types: () => news.map(({ type }) => type), wasDropped: () => dropped }
}

/** Waits until bus messages have arrived. */
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(() => setImmediate(resolve)))

test('rings at all pages, including a later one; the page that accepts gets the call', async () => {
  const { phones } = openProcess('one')
  assert.deepEqual([await phones.dial(device, dial), await phones.reaches(device.accountId, device.deviceId)], [[], false])
  const first = openPage(phones)
  const [leg] = await phones.dial(device, dial)
  const ring = first.last('ring') ?? assert.fail()
  assert.deepEqual(ring.from, { number: '+49301234', name: 'Grace', contactId: '12' })
  assert.deepEqual(ring.to, { number: '+4930111', line: 'Sales' })
  const later = openPage(phones)
  assert.deepEqual(later.types(), ['ready', 'ring', 'call'])
  assert.equal(later.last('call')?.coreCallId, 'core-1')
  later.heed({ type: 'accept', callId: ring.callId, sdp: 'v=0' })
  assert.deepEqual(first.last('ended'), { type: 'ended', callId: ring.callId, by: 'us', cause: 'answered_elsewhere', elsewhere: true })
  assert.equal(later.types().at(-1), 'answered')
  first.heed({ type: 'hangup', callId: ring.callId })
  assert.equal(later.last('ended'), undefined, 'it is none of the other page')
  later.leave()
  assert.deepEqual(await leg?.ended, { by: 'peer', cause: 'normal' })
})

test('ends a ringing call as unavailable without a page, and declines it at all pages', async () => {
  const { phones } = openProcess('one')
  const page = openPage(phones)
  const [declined] = await phones.dial({ ...device }, { ...dial, caller: { ...dial.caller, withheld: true } })
  assert.deepEqual(page.last('ring')?.from, { name: '' })
  page.heed({ type: 'decline', callId: page.last('ring')?.callId ?? '', cause: 'do_not_disturb' })
  assert.equal((await declined?.ended)?.cause, 'do_not_disturb')
  const [left] = await phones.dial(device, dial)
  page.leave()
  assert.equal((await left?.ended)?.cause, 'unavailable')
})

test('lets a page dial as its device, with at most eight calls', async () => {
  const { phones, taken } = openProcess('one')
  const page = openPage(phones)
  page.heed({ type: 'dial', callId: 'a', to: '+49 (30) 12-34', sdp: 'v=0', callerId: 'anonymous' })
  await settled()
  const [{ dialled, origin, caller, id } = assert.fail()] = taken
  assert.deepEqual([dialled, origin, caller.withheld], ['+49301234', { kind: 'device', ...device }, true])
  assert.equal(page.last('call')?.coreCallId, id)
  page.heed({ type: 'dial', callId: 'a', to: '1', sdp: 'v=0' })
  assert.match(page.last('problem')?.message ?? '', /callId/)
  for (const callId of 'bcdefghi') page.heed({ type: 'dial', callId, to: '1', sdp: 'v=0' })
  await settled()
  assert.deepEqual([taken.length, page.last('ended')], [8, { type: 'ended', callId: 'i', by: 'us', cause: 'overloaded' }])
  users.find = async () => ({ active: false })
  const gone = openPage(openProcess('one').phones)
  gone.heed({ type: 'dial', callId: 'z', to: '1', sdp: 'v=0' })
  await settled()
  assert.deepEqual([gone.last('ended')?.cause, taken.length], ['forbidden', 8], 'who has left calls nobody')
  users.find = async () => ({ active: true })
  page.heed({ type: 'transfer', callId: 'a', toCall: 'nobody' })
  assert.deepEqual(page.last('transfer'), { type: 'transfer', callId: 'a', state: 'failed', cause: 'not_found' })
})

test('rings and talks at a page on another node, dials from there, and ends its calls when that node is gone', async (t) => {
  const hub = new LocalHub()
  const [here, there] = [openProcess('one', hub), openProcess('other', hub)]
  t.after(() => [here, there].forEach(({ close }) => close()))
  const page = openPage(there.phones)
  await settled()
  assert.equal(here.phones.views(device.accountId, device.deviceId).length, 1)
  const [leg] = await here.phones.dial(device, dial)
  await settled()
  const { callId } = page.last('ring') ?? assert.fail()
  page.heed({ type: 'accept', callId, sdp: 'v=0' })
  page.heed({ type: 'dtmf', callId, digits: '1' })
  await settled()
  assert.deepEqual([page.types().at(-1), here.did, there.did], ['answered', ['presses 1'], []])
  page.heed({ type: 'dial', callId: 'second', to: '2', sdp: 'v=0' })
  await settled()
  assert.deepEqual([here.taken.length, there.taken.length], [1, 0], 'where its other call is')
  await leg?.hangUp('normal')
  await settled()
  assert.equal(page.last('ended')?.callId, callId)
  there.loseOthers()
  assert.deepEqual(page.last('ended'), { type: 'ended', callId: 'second', by: 'network', cause: 'failed' })
  const [again] = await here.phones.dial(device, dial)
  page.leave()
  await settled()
  assert.equal((await again?.ended)?.cause, 'unavailable')
})

test('resumes calls of a page on its next connection, and hangs up the calls it no longer lists', async () => {
  const { phones, clock, did } = openProcess('one')
  const page = openPage(phones)
  const [leg] = await phones.dial(device, dial)
  const { callId } = page.last('ring') ?? assert.fail()
  page.heed({ type: 'accept', callId, sdp: 'v=0' })
  page.heed({ type: 'dial', callId: 'second', to: '2', sdp: 'v=0' })
  await settled()
  page.lose()
  assert.equal(await phones.reaches(device.accountId, device.deviceId), false, 'nothing rings there')
  const [unheard] = await phones.dial(device, dial)
  assert.equal(unheard, undefined)
  await clock.advance(9_000)
  const again = openPage(phones)
  again.heed({ type: 'resume', pageId: page.pageId, callIds: [callId, 'gone'] })
  await clock.advance(1_000)
  assert.deepEqual(again.types(), ['ready', 'call', 'answered', 'ended'])
  assert.deepEqual(again.last('ended'), { type: 'ended', callId: 'gone', by: 'network', cause: 'failed' })
  assert.ok(page.wasDropped())
  await clock.advance(20_000)
  again.heed({ type: 'dtmf', callId, digits: '1' })
  assert.deepEqual(did, ['presses 1'], 'the call goes on')
  const third = openPage(phones)
  third.heed({ type: 'resume', pageId: again.pageId, callIds: [] })
  assert.deepEqual(await leg?.ended, { by: 'peer', cause: 'normal' })
})

test('ends the calls of a page that does not reconnect in time; a ringing call waits equally long', async () => {
  const { phones, clock } = openProcess('one')
  const page = openPage(phones)
  const [talks] = await phones.dial(device, dial)
  page.heed({ type: 'accept', callId: page.last('ring')?.callId ?? '', sdp: 'v=0' })
  const [rings] = await phones.dial(device, dial)
  const { callId } = page.last('ring') ?? assert.fail()
  page.lose()
  await clock.advance(9_999)
  const again = openPage(phones)
  again.heed({ type: 'resume', pageId: 'another', callIds: [callId] })
  assert.deepEqual(again.types(), ['ready', 'ring', 'call'], 'it still rings')
  await clock.advance(1)
  assert.deepEqual(await talks?.ended, { by: 'network', cause: 'unavailable' })
  again.lose()
  await clock.advance(10_000)
  assert.deepEqual(await rings?.ended, { by: 'network', cause: 'unavailable' })
})

test('moves a page to another node and keeps its calls where they are', async (t) => {
  const hub = new LocalHub()
  const [here, there] = [openProcess('one', hub), openProcess('other', hub)]
  t.after(() => [here, there].forEach(({ close }) => close()))
  const page = openPage(here.phones)
  await settled()
  await here.phones.dial(device, dial)
  const { callId } = page.last('ring') ?? assert.fail()
  page.heed({ type: 'accept', callId, sdp: 'v=0' })
  page.lose()
  await settled()
  const again = openPage(there.phones)
  again.heed({ type: 'resume', pageId: page.pageId, callIds: [callId, 'gone'] })
  await settled()
  assert.deepEqual(again.types(), ['ready', 'call', 'answered'])
  await there.clock.advance(1_000)
  assert.equal(again.last('ended')?.callId, 'gone')
  await here.clock.advance(10_000)
  again.heed({ type: 'hold', callId, value: true })
  await settled()
  assert.deepEqual(here.did, ['holds true'])
})

test('issues sound tickets that are valid once, for 30 seconds, on the node that has the call', async (t) => {
  const hub = new LocalHub()
  const [here, there] = [openProcess('one', hub), openProcess('other', hub)]
  t.after(() => [here, there].forEach(({ close }) => close()))
  const page = openPage(here.phones)
  page.heed({ type: 'dial', callId: 'a', to: '1', sdp: 'v=0' })
  const ask = (): string => {
    page.heed({ type: 'sound', callId: 'a' })
    return page.last('sound')?.path.split('/').at(-1) ?? assert.fail()
  }
  const ticket = ask()
  assert.deepEqual(there.phones.soundOf(ticket), { at: '' })
  assert.ok('farEnd' in here.phones.soundOf(ticket))
  assert.throws(() => here.phones.soundOf(ticket), { code: 'phone_ticket_invalid' })
  here.told[0]?.lostWay()
  const unasked = page.last('sound')?.path.split('/').at(-1) ?? ''
  assert.ok('farEnd' in here.phones.soundOf(unasked), 'who loses the way of WebRTC gets another one without asking')
  const late = ask()
  await here.clock.advance(30_000)
  for (const bad of [late, 'made up', `gone.${'0'.repeat(36)}`])
    assert.throws(() => here.phones.soundOf(bad), { code: 'phone_ticket_invalid' })
})

test('notifies a browser without a visible page, accepts a decline from it, and updates the notice at the end', async (t) => {
  const hub = new LocalHub()
  const notified: CallNotice[] = []
  const notices = { of: async () => ({ userId: 'w0', notify: async (notice: CallNotice) => (notified.push(notice), true) }) }
  const [here, other] = [openProcess('one', hub, { notices }), openProcess('other', hub)]
  t.after(() => [here, other].forEach(({ close }) => close()))
  const [declined] = await here.phones.dial(device, dial)
  await settled()
  assert.deepEqual(here.did, ['rings'], 'the caller hears it ring')
  assert.equal(notified[0]?.from.name, 'Grace')
  assert.throws(() => here.phones.decline(`gone.${'0'.repeat(36)}`), { code: 'phone_ticket_invalid' })
  other.phones.decline(notified[0]?.decline ?? '')
  assert.equal((await declined?.ended)?.cause, 'rejected')
  await settled()
  assert.deepEqual([notified.at(-1)?.type, notified.at(-1)?.decline], ['declined', undefined])
  assert.throws(() => here.phones.decline(notified[0]?.decline ?? ''), { code: 'phone_ticket_invalid' })

  const [missed] = await here.phones.dial(device, dial)
  await missed?.hangUp('no_answer')
  await settled()
  assert.equal(notified.at(-1)?.type, 'missed')
  await here.phones.dial(device, dial)
  const page = openPage(here.phones)
  page.heed({ type: 'accept', callId: page.last('ring')?.callId ?? '', sdp: 'v=0' })
  await settled()
  assert.equal(notified.at(-1)?.type, 'answered')
  notified.length = 0
  await here.phones.dial(device, dial)
  assert.equal(notified.length, 0, 'a page is seen')
})
