import { randomUUID } from 'node:crypto'
import { Problem } from '@offhook/contract/problem.ts'
import { echoTest, phoneSoundPath, type PageFrame, type RingNews } from '@offhook/contract/v3/phone.ts'
import { namesOf } from '#core/account/contacts/names.ts'
import type { UserCaller } from '#core/account/identity/caller/caller.ts'
import { readGrants } from '#core/account/identity/caller/grants.ts'
import { demand } from '#core/account/identity/caller/permissions.ts'
import { isOwn } from '#core/account/lines/fax-caller-id.ts'
import type { BrowserLegs, PageView, PhonePages } from '#core/kernel/ports/browser.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import type { Cause, Dial, IncomingCall, Leg, OtherPhones } from '#core/kernel/ports/telephony.ts'
import type { ClusterCalls } from '../call/cluster/cluster-calls.ts'
import type { CallNotices, Notified } from './call-notices.ts'
import type { CallFrame, Page, PageLine, PageOwner, Resumption } from './page.ts'
import { Pages, type PagesDeps } from './pages.ts'
import { PhoneCall, type PhoneCallDeps } from './phone-call.ts'
import { SoundTickets, type SoundPlace } from './phone-tickets.ts'

export interface BrowserPhonesDeps extends PagesDeps {
  legs: BrowserLegs
  calls: Pick<ClusterCalls, 'command'>
  /** For names of callers. */
  store: Store
  notices: Pick<CallNotices, 'of'>
  take: (call: IncomingCall) => void
  onError: (error: unknown) => void
}

type FrameOf<T extends CallFrame['type']> = Extract<CallFrame, { type: T }>
/** Events of a page. */
interface EnteredPage {
  heed: (frame: PageFrame) => void
  /** The page was closed. */
  leave: () => void
  /** The connection broke; the page may come back on another one. */
  lose: () => void
}

type Device = Pick<PageOwner, 'accountId' | 'deviceId'>

/** Concurrent calls per device: more than a person can handle. */
const maxCalls = 8
/** Maximum duration of the echo test in milliseconds. */
const maxEchoMs = 600_000

/** Phones in browsers. All pages of a device ring together; the first to accept gets the call. */
export class BrowserPhones implements OtherPhones, PhonePages {
  readonly #deps: BrowserPhonesDeps
  readonly #pages: Pages
  /** Keyed by device and the call id known to its pages. */
  readonly #calls = new Map<string, PhoneCall>()
  /** Calls that can be declined from a notice, keyed by ticket. */
  readonly #declines = new Map<string, PhoneCall>()
  readonly #sounds: SoundTickets

  constructor(deps: BrowserPhonesDeps) {
    this.#deps = deps
    this.#sounds = new SoundTickets(deps)
    this.#pages = new Pages(deps, {
      came: (page) => this.#ringAt(page),
      said: (page, frame) => this.#handle(page, frame),
      resumed: (page, wanted) => this.#resumed(page, wanted),
      left: (page, lost) => this.#left(page, lost),
      declined: (ticket) => this.#declines.get(ticket)?.decline(),
    })
  }

  /** Registers a page connected to this node. */
  enter(owner: PageOwner, program: string, line: PageLine): EnteredPage {
    this.#deps.legs.expectBrowsers()
    const { page, ...entered } = this.#pages.enter(owner, program, line)
    line.send({ type: 'ready', deviceId: owner.deviceId, pageId: page.id })
    this.#ringAt(page)
    return entered
  }

  views(accountId: string, deviceId: string): PageView[] {
    return this.#pages.views(accountId, deviceId)
  }

  async reaches(accountId: string, deviceId: string): Promise<boolean> {
    return this.#pages.of(accountId, deviceId).length > 0 || (await this.#deps.notices.of(accountId, deviceId)) !== undefined
  }

  async dial({ accountId, deviceId }: Device, { caller, about, near }: Dial): Promise<Leg[]> {
    const seen = this.#pages.views(accountId, deviceId).some(({ visible }) => visible)
    const notified = seen ? undefined : await this.#deps.notices.of(accountId, deviceId)
    const userId = notified?.userId ?? this.#pages.of(accountId, deviceId)[0]?.userId
    if (userId === undefined) return []
    if (!(await this.#deps.store.read.users.find(accountId, userId))?.active) return []
    const from = await this.#nameOf(accountId, userId, caller)
    const to = { number: about?.called ?? '', line: about?.line ?? '' }
    const since = new Date(this.#deps.clock.now()).toISOString()
    const call = PhoneCall.to({ from, to, since }, this.#partsOf(randomUUID(), about?.callId))
    await call.farEnd.prepare(near)
    this.#keep({ accountId, deviceId }, call)
    for (const page of this.#pages.of(accountId, deviceId)) call.ringAt(page)
    if (notified) this.#notify(call, notified, from)
    return [call.farEnd.leg]
  }

  /** Throws a Problem unless the ticket belongs to the notice of a call that still rings. In a cluster the node that has the call decides. */
  decline(ticket: string): void {
    const [, at] = /^([\w-]{1,100})\.[\w-]{36}$/.exec(ticket) ?? []
    const call = this.#declines.get(ticket)
    if (call) return call.decline()
    if (at === undefined || !this.#pages.declineAt(at, ticket)) throw new Problem('phone_ticket_invalid')
  }

  /** Throws a Problem unless the ticket is valid for the sound of a call. */
  soundOf(ticket: string): SoundPlace {
    return this.#sounds.redeem(ticket)
  }

  close(): void {
    this.#pages.close()
    this.#sounds.close()
  }

  async #nameOf(accountId: string, userId: string, { number, name, withheld }: Dial['caller']): Promise<RingNews['from']> {
    if (number === undefined || withheld) return { name: withheld ? '' : name }
    const known = (await namesOf(this.#deps.store.read, accountId, userId, [number])).get(number)
    return { number, name: known?.name ?? name, ...(known?.contactId !== undefined && { contactId: known.contactId }) }
  }

  /** Updates the notice when the call ends: browsers penalise push messages that show no notification. */
  #notify(call: PhoneCall, { notify }: Notified, { number, name }: RingNews['from']): void {
    const { peerNodes, onError } = this.#deps
    const decline = `${peerNodes.self}.${randomUUID()}`
    const notice = { callId: call.id, from: { name, ...(number !== undefined && { number }) } }
    this.#declines.set(decline, call)
    call.awaitMore()
    const shown = notify({ type: 'ring', ...notice, decline })
    shown.then((is) => (is ? call.farEnd.rings() : call.awaitNoMore()), onError)
    void call.waited.then(async (how) => {
      this.#declines.delete(decline)
      if (await shown.catch(() => false)) await notify({ type: how, ...notice }).catch(onError)
    })
  }

  #partsOf(id: string, coreCallId: string | undefined): PhoneCallDeps {
    return { legs: this.#deps.legs, id, coreCallId, soundPath: (farEnd) => phoneSoundPath(this.#sounds.make(farEnd)) }
  }

  #keep(device: Device, call: PhoneCall): void {
    const key = keyOf(device, call.id)
    this.#calls.set(key, call)
    void call.farEnd.leg.ended.then(() => this.#calls.delete(key))
  }

  #callsOf(device: Device): PhoneCall[] {
    const prefix = keyOf(device, '')
    return [...this.#calls].flatMap(([key, call]) => (key.startsWith(prefix) ? [call] : []))
  }

  /** Rings at a page that connects later, too. */
  #ringAt(page: Page): void {
    for (const call of this.#callsOf(page)) call.ringAt(page)
  }

  #left(page: Page, lost: boolean): void {
    for (const call of this.#callsOf(page)) call.leave(page, lost)
  }

  #resumed(page: Page, { pageId, callIds }: Resumption): string[] {
    for (const call of this.#callsOf(page).filter((one) => one.isAt(pageId))) {
      if (callIds.includes(call.id)) call.moveTo(page)
      else call.farEnd.hangsUp() // the user hung up while the connection was broken
    }
    return this.#callsOf(page).flatMap((call) => (call.has(page) ? [call.id] : []))
  }

  #handle(page: Page, frame: CallFrame): void {
    if (frame.type === 'dial') return this.#dials(page, frame)
    const call = this.#calls.get(keyOf(page, frame.callId))
    if (!call?.has(page)) return // the call has ended; the page will be notified shortly
    const { farEnd } = call
    if (frame.type === 'ringing') farEnd.rings()
    else if (frame.type === 'accept') call.accept(page, frame.sdp).catch(this.#deps.onError)
    else if (frame.type === 'decline') farEnd.declines(frame.cause ?? 'rejected')
    else if (frame.type === 'hangup') farEnd.hangsUp()
    else if (frame.type === 'dtmf') farEnd.presses(frame.digits)
    else if (frame.type === 'hold') farEnd.holds(frame.value)
    else if (frame.type === 'quality') farEnd.reports(frame)
    else if (frame.type === 'sound') call.offerSound()
    else if (frame.type === 'transfer') this.#transfers(page, call, frame)
    else void this.#record(page, call, frame).catch(this.#deps.onError)
  }

  #dials(page: Page, { callId, to, sdp, callerId }: FrameOf<'dial'>): void {
    const { accountId, deviceId } = page
    if (this.#calls.has(keyOf(page, callId))) return page.send({ type: 'problem', callId, message: 'There is a call with this callId.' })
    if (this.#callsOf(page).length >= maxCalls) {
      page.send({ type: 'problem', callId, message: 'There are as many calls as are possible at once.' })
      return page.send({ type: 'ended', callId, by: 'us', cause: 'overloaded' })
    }
    const echoes = to === echoTest
    const coreCallId = echoes ? undefined : randomUUID()
    const call = PhoneCall.from(page, this.#partsOf(callId, coreCallId), sdp)
    this.#keep(page, call)
    const { leg } = call.farEnd
    if (coreCallId === undefined) return this.#echo(leg)
    const incoming: IncomingCall = {
      id: coreCallId,
      leg,
      origin: { kind: 'device', accountId, deviceId },
      dialled: plain(to),
      caller: { number: undefined, name: '', withheld: callerId === 'anonymous' }, // the rest is looked up, as for every device
      ...(callerId !== undefined && callerId !== 'anonymous' && { shows: callerId }),
      diversions: [],
      hops: 0,
      replaces: undefined,
    }
    this.#admit(page, incoming).catch((error: unknown) => {
      if (error instanceof Problem) page.send({ type: 'problem', callId, message: error.message })
      else this.#deps.onError(error)
      void leg.hangUp('forbidden')
    })
  }

  /** Rejects deactivated users whose page is still open; choosing the caller ID requires the permission for it. */
  async #admit(page: Page, call: IncomingCall): Promise<void> {
    const { store, take } = this.#deps
    const caller = await this.#callerOf(page)
    await demand(store, 'CAN_INITIATE_CALLS', caller)
    if (call.shows !== undefined) {
      await demand(store, 'CAN_CHANGE_DEVICE_CALLERID', caller)
      if (!(await isOwn(store.read, page.accountId, call.shows))) throw new Problem('caller_id_not_owned')
    }
    take(call)
  }

  #echo(leg: Leg): void {
    leg.audio.echo(true)
    leg.answer().catch(this.#deps.onError)
    const cancel = this.#deps.clock.after(maxEchoMs, () => void leg.hangUp('normal'))
    void leg.ended.then(cancel)
  }

  #transfers(page: Page, call: PhoneCall, { to, toCall }: FrameOf<'transfer'>): void {
    const other = toCall === undefined ? undefined : this.#calls.get(keyOf(page, toCall))
    const notify = (state: 'trying' | 'done' | 'failed', cause?: Cause): void =>
      call.notify({ type: 'transfer', state, ...(cause && { cause }) })
    const target = other?.has(page) ? { leg: other.farEnd.leg } : to === undefined ? undefined : { dialled: plain(to) }
    if (!target || other === call) return notify('failed', 'not_found')
    call.farEnd.transfers(target, {
      trying: () => notify('trying'),
      done: () => notify('done'),
      failed: (cause) => notify('failed', cause),
    })
  }

  /** User without administrator rights. */
  async #callerOf({ accountId, userId }: PageOwner): Promise<UserCaller> {
    const { read } = this.#deps.store
    const user = await read.users.find(accountId, userId)
    if (!user?.active) throw new Problem('forbidden')
    const grants = await readGrants(read, accountId, user)
    return { kind: 'user', accountId, userId, admin: false, grants, scopes: ['all'], tokenId: `phone:${accountId}:${userId}` }
  }

  /** Like `/v2/calls`, with the permissions of the page's user. */
  async #record(page: Page, call: PhoneCall, { value }: FrameOf<'record'>): Promise<void> {
    try {
      if (call.coreCallId === undefined) throw new Problem('call_not_in_state')
      await this.#deps.calls.command(await this.#callerOf(page), call.coreCallId, { op: 'record', value, announcement: false })
      call.notify({ type: 'recording', value })
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      call.notify({ type: 'problem', message: error.message })
    }
  }
}

const keyOf = ({ accountId, deviceId }: Device, callId: string): string => `${accountId}/${deviceId}/${callId}`

/** Removes formatting characters from a number. */
const plain = (written: string): string => written.replaceAll(/[\s()/.-]/g, '')
