import type { InputOf, OutputOf } from '#api/use-service.ts'

export type Leash = OutputOf<'getLeash'>

type LeashRules = InputOf<'setLeash'>[1]

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

/** All rules as form fields; empty is unlimited. Named as the service names them, so that its errors appear at the fields. */
export interface LeashForm {
  onlyNumbers: boolean
  allowedNumbers: string[]
  onlyHours: boolean
  'hours/weekdays': string[]
  'hours/from': string
  'hours/to': string
  'hours/timeZone': string
  callsPerDay: number | ''
  smsPerDay: number | ''
  maxSpend: number | undefined
  confirms: boolean
  tools: string[]
}

/** Initial leash: tight, loosened by hand. */
const tight: LeashForm = {
  onlyNumbers: true,
  allowedNumbers: [],
  onlyHours: false,
  'hours/weekdays': [],
  'hours/from': '08:00',
  'hours/to': '20:00',
  'hours/timeZone': '',
  callsPerDay: 10,
  smsPerDay: 10,
  maxSpend: undefined,
  confirms: true,
  tools: [],
}

export const formOf = (leash: Leash | undefined): LeashForm => {
  if (!leash) return tight
  const { allowedNumbers, hours, callsPerDay = '', smsPerDay = '', maxSpend, confirm, tools = [] } = leash
  return {
    onlyNumbers: allowedNumbers !== undefined,
    allowedNumbers: allowedNumbers ?? [],
    onlyHours: hours !== undefined,
    'hours/weekdays': hours?.weekdays ?? [],
    'hours/from': hours?.from ?? tight['hours/from'],
    'hours/to': hours?.to ?? tight['hours/to'],
    'hours/timeZone': hours?.timeZone ?? '',
    callsPerDay,
    smsPerDay,
    maxSpend,
    confirms: confirm === 'client',
    tools,
  }
}

/** Omits unlimited rules. */
export const rulesOf = (form: LeashForm): LeashRules =>
  ({
    ...(form.onlyNumbers && { allowedNumbers: form.allowedNumbers }),
    ...(form.onlyHours && { hours: hoursOf(form) }),
    ...(form.callsPerDay !== '' && { callsPerDay: form.callsPerDay }),
    ...(form.smsPerDay !== '' && { smsPerDay: form.smsPerDay }),
    ...(form.maxSpend !== undefined && { maxSpend: form.maxSpend }),
    confirm: form.confirms ? 'client' : 'none',
    ...(form.tools.length > 0 && { tools: form.tools }),
  }) as LeashRules

const hoursOf = (form: LeashForm): object => ({
  ...(form['hours/weekdays'].length > 0 && { weekdays: form['hours/weekdays'] }),
  from: form['hours/from'],
  to: form['hours/to'],
  ...(form['hours/timeZone'].trim() !== '' && { timeZone: form['hours/timeZone'].trim() }),
})
