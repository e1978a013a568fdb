import assert from 'node:assert/strict'
import type { Clock } from '#core/kernel/ports/platform.ts'
import {
  CapacityExceeded,
  type Bridge,
  type BridgeRecording,
  type Dial,
  type DialTarget,
  type IncomingCall,
  type Leg,
  type Origin,
  type NotResumed,
  type Resumed,
  type ResumeOptions,
  type SavedDialog,
  type Telephony,
  type TrunkHealth,
  type FaxLeg,
} from '#core/kernel/ports/telephony.ts'
import { type RecordingFile } from '#core/kernel/ports/audio.ts'
import type { Outside } from '../chance/outside.ts'
import { ScriptedFaxLeg } from './scripted-fax-leg.ts'
import { ScriptedLeg, scriptedRecording, type LegsBridge } from './scripted-leg.ts'

export class ScriptedBridge implements Bridge, LegsBridge {
  readonly legs: ScriptedLeg[] = []
  readonly log: string[] = []
  /** Legs in the left channel of the recordings, by id. */
  readonly left = new Map<string, readonly Leg[]>()
  /** Simulates a full disk. */
  cannotRecord = false
  readonly #clock: Clock
  readonly #outside: Outside

  constructor(clock: Clock, outside: Outside) {
    this.#clock = clock
    this.#outside = outside
  }

  add(leg: Leg): void {
    this.#outside.step('bridge.add')
    assert.ok(leg instanceof ScriptedLeg)
    if (leg.bridge === this || leg.over) return
    leg.bridge?.drop(leg)
    leg.bridge = this
    this.legs.push(leg)
  }

  remove(leg: Leg): void {
    this.#outside.step('bridge.remove')
    if (leg instanceof ScriptedLeg) this.drop(leg)
  }

  drop(leg: ScriptedLeg): void {
    if (!this.legs.includes(leg)) return
    this.legs.splice(this.legs.indexOf(leg), 1)
    leg.bridge = undefined
  }

  record(file: RecordingFile, left: readonly Leg[]): BridgeRecording {
    this.#outside.step('bridge.record')
    this.log.push('record')
    this.left.set(file.id, left)
    const divide = (changed: readonly Leg[]): void => void this.left.set(file.id, changed)
    return {
      ...scriptedRecording(this.#clock, this.#outside, file),
      opened: Promise.resolve(!this.cannotRecord),
      divide,
      pause: (value) => void this.log.push(value ? 'pause' : 'resume'),
    }
  }

  close(): void {
    this.log.push('close')
    for (const leg of this.legs.slice()) this.drop(leg)
    this.#outside.step('bridge.close')
  }
}

/** Scripted telephone side: phones ring, answer and hang up on the test's command. Only for call rules. */
export class ScriptedTelephony implements Telephony {
  /** Outbound legs, in order. */
  readonly called: ScriptedLeg[] = []
  /** Outbound fax legs. */
  readonly faxed: ScriptedFaxLeg[] = []
  readonly health = new Map<string, TrunkHealth>()
  /** Legs of another run whose phones got a BYE. */
  readonly byes: string[] = []
  /** Trunks at their call limit. */
  readonly full = new Set<string>()
  /** No media ports are left for another leg. */
  crowded = false
  readonly #registered = new Map<string, number>()
  readonly #clock: Clock
  readonly #outside: Outside
  #take: (call: IncomingCall) => void = () => assert.fail('nobody takes calls')

  constructor(clock: Clock, outside: Outside) {
    this.#clock = clock
    this.#outside = outside
  }

  onIncoming(take: (call: IncomingCall) => void): void {
    this.#take = take
  }

  async dial(target: DialTarget, dial: Dial): Promise<Leg[]> {
    this.#outside.step('telephony.dial')
    this.#findRoom()
    const legs = Array.from({ length: this.#placesOf(target) }, () => new ScriptedLeg(this.#clock, this.#outside, { target, dial }))
    this.called.push(...legs)
    return legs
  }

  #findRoom(): void {
    if (this.crowded) throw new CapacityExceeded(new Error('no port is free'))
  }

  /** Number of legs of such a call. */
  #placesOf(target: DialTarget): number {
    if (target.kind === 'device') return this.#registered.get(`${target.accountId}/${target.deviceId}`) ?? 0
    return target.emergency || !this.full.has(target.trunkId) ? 1 : 0
  }

  faxMissing: string | undefined

  async dialFax(target: DialTarget, dial: Dial): Promise<FaxLeg[]> {
    this.#outside.step('telephony.dialFax')
    this.#findRoom()
    const legs = Array.from({ length: this.#placesOf(target) }, () => new ScriptedFaxLeg(this.#outside, { target, dial }))
    this.faxed.push(...legs)
    return legs
  }

  async reaches(accountId: string, deviceId: string): Promise<boolean> {
    this.#outside.step('telephony.reaches')
    return (this.#registered.get(`${accountId}/${deviceId}`) ?? 0) > 0
  }

  bridge(): Bridge {
    this.#outside.step('telephony.bridge')
    return new ScriptedBridge(this.#clock, this.#outside)
  }

  /** Legs taken over here, in order. */
  readonly resumed: ScriptedLeg[] = []
  /** Reason why the leg with this id cannot be resumed. */
  readonly notResumed = new Map<string, NotResumed>()

  async resume(saved: readonly SavedDialog[], { agreed }: ResumeOptions = {}): Promise<Resumed[]> {
    this.#outside.step('telephony.resume')
    return Promise.all(saved.map((dialog) => this.#resumeOne(String(dialog['id']), agreed)))
  }

  async #resumeOne(id: string, agreed: ResumeOptions['agreed']): Promise<Resumed> {
    const reason = this.notResumed.get(id)
    if (reason) return { reason }
    await agreed?.(id)
    const leg = new ScriptedLeg(this.#clock, this.#outside, undefined, id)
    leg.answered = true
    this.resumed.push(leg)
    return { leg }
  }

  async sayBye({ id }: SavedDialog): Promise<void> {
    this.byes.push(String(id))
  }

  trunkHealth(trunkId: string): TrunkHealth {
    this.#outside.step('telephony.trunkHealth')
    return this.health.get(trunkId) ?? { usable: true, calls: 0 }
  }

  register(accountId: string, deviceId: string, places = 1): void {
    this.#registered.set(`${accountId}/${deviceId}`, places)
  }

  /** Inbound call. */
  arrives(origin: Origin, dialled: string, more: Partial<Omit<IncomingCall, 'leg' | 'origin' | 'dialled'>> = {}): ScriptedLeg {
    const leg = new ScriptedLeg(this.#clock, this.#outside)
    const caller = { number: undefined, name: '', withheld: false }
    this.#take({ leg, origin, dialled, caller, diversions: [], hops: 0, replaces: undefined, ...more })
    return leg
  }

  /** Outbound legs that have not ended. */
  get alive(): ScriptedLeg[] {
    return this.called.filter(({ over }) => !over)
  }
}
