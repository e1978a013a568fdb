import type { Overflow, RoutingRule, RoutingRules as Rules } from '@offhook/contract/v1/routing.ts'
import type { overrideStates, weekdays } from '@offhook/contract/v1/schedules.ts'

export type Weekday = (typeof weekdays)[number]

/** By the clock on the wall. One that ends at or before its beginning goes over midnight and belongs to the day on which it begins. */
export interface Span {
  from: string
  /** Up to 24:00. */
  to: string
}

/** A day that differs from the week. */
export interface SpecialDay {
  /** 2026-12-25, or --12-25 for every year. */
  date: string
  name: string
  /** Empty: closed all day. */
  open: readonly Span[]
}

export interface Override {
  state: (typeof overrideStates)[number]
  /** Missing: until it is switched back. */
  until?: number
}

export interface OfficeHours {
  timeZone: string
  week: Partial<Record<Weekday, readonly Span[]>>
  days: readonly SpecialDay[]
  override?: Override | undefined
}

export interface Schedule extends OfficeHours {
  id: string
  name: string
  updatedAt: number
}

export interface Schedules {
  /** By name. */
  list(accountId: string): Promise<Schedule[]>
  find(accountId: string, id: string): Promise<Schedule | undefined>
  insert(accountId: string, schedule: Schedule): Promise<void>
  /** All but the switch for the day. */
  update(accountId: string, schedule: Schedule): Promise<void>
  setOverride(accountId: string, id: string, override: Override | undefined): Promise<void>
  remove(accountId: string, id: string): Promise<void>
  removeOf(accountId: string): Promise<void>
}

export interface TargetRules extends Rules {
  /** A line, group, number or flow. */
  target: string
}

/** What becomes of calls to a line, group, number or flow while it is closed and when nobody answers. */
export interface RoutingRules {
  list(accountId: string): Promise<TargetRules[]>
  /** Most accounts have none, which is known after one question for all their calls. */
  listTargets(accountId: string): Promise<string[]>
  /** Targets, others than that itself, whose rules lead to this line, group, voicemail or flow. */
  listLeadingTo(accountId: string, to: string): Promise<string[]>
  find(accountId: string, target: string): Promise<Rules | undefined>
  put(accountId: string, target: string, rules: { rules: readonly RoutingRule[]; overflow: readonly Overflow[] }): Promise<void>
  remove(accountId: string, target: string): Promise<void>
  removeOf(accountId: string): Promise<void>
}
