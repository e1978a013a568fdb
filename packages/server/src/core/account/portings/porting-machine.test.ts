import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '@offhook/contract/problem.ts'
import { fc } from '#test/chance/fast-check.ts'
import { withCode } from '#test/http/with-code.ts'
import { agreedCodes, messageCodes, rejectedCodes } from './porting-machine.ts'
import {
  apply,
  legalEvents,
  pending,
  portingStatuses,
  portingTransitions,
  possibleSteps,
  revocable,
  revocationEvent,
  type Porting,
  type PortingData,
  type PortingEvent,
  type PortingStatus,
} from './porting-machine.ts'

const statuses = Object.keys(portingStatuses).map(Number) as PortingStatus[]
const events = [...new Set(portingTransitions.map(({ on }) => on))] as PortingEvent[]
const fresh: Porting = { status: 'new', portDate: null, cancelRequested: false }
const at = (date: string) => Date.parse(date)
const now = at('2026-11-16T09:00:00Z')

type Step = PortingEvent | [PortingEvent, PortingData]
const steps = (porting: Porting, ...path: Step[]) =>
  path.reduce(
    (reached, step) => (typeof step === 'string' ? apply(reached, step, {}, now) : apply(reached, step[0], step[1], now)),
    porting,
  )
const agreed: Step = ['request_agreed', { codes: ['8001'], portDate: '2026-12-01' }]
const requested = () => steps(fresh, 'create_by_wbci', 'optin_mail_sent', 'optin_clicked', 'request_sent')
const accepted = () => steps(requested(), agreed)

const conflict = (...named: string[]) => withCode('conflict', ...named)
const fieldProblem = (field: string) => withCode('parameter_invalid', field)

function reachableFrom(start: Porting['status']): Set<Porting['status']> {
  const reached = new Set<Porting['status']>([start])
  for (const status of reached) {
    for (const { from, to } of portingTransitions) if (to !== 'same' && from.includes(status)) reached.add(to)
  }
  return reached
}

test('reaches all thirteen states', () => {
  assert.deepEqual(statuses, [100, 150, 160, 170, 200, 250, 251, 252, 400, 450, 451, 500, 600])
  const reached = reachableFrom('new')
  for (const status of statuses) assert.ok(reached.has(status), String(status))
})

test('has one target state per event', () => {
  const moves = portingTransitions.flatMap(({ from, on }) => from.map((status) => `${status} ${on}`))
  assert.equal(new Set(moves).size, moves.length)
})

test('completes and cancels every pending state; final states have no events', () => {
  for (const status of statuses) {
    const reached = reachableFrom(status)
    if (pending(status)) assert.ok(reached.has(500) && reached.has(600), String(status))
    else assert.deepEqual(legalEvents(status), [])
  }
  assert.deepEqual(
    statuses.filter((status) => !pending(status)),
    [500, 600],
  )
})

test('allows exactly the listed transitions', () => {
  const expected: Record<string, [PortingEvent, Porting['status']][]> = {
    new: [
      ['create_by_form', 100],
      ['create_by_wbci', 150],
    ],
    100: [
      ['form_received', 200],
      ['revoked', 600],
    ],
    150: [
      ['optin_mail_sent', 160],
      ['fall_back_to_form', 100],
      ['revoked', 600],
    ],
    160: [
      ['optin_clicked', 170],
      ['optin_expired', 150],
      ['fall_back_to_form', 100],
      ['revoked', 600],
    ],
    170: [
      ['request_sent', 250],
      ['revoked', 600],
    ],
    200: [
      ['form_agreed', 400],
      ['form_refused', 100],
      ['revoked', 600],
    ],
    250: [
      ['transport_failed', 251],
      ['request_agreed', 400],
      ['request_rejected', 252],
      ['cancel_requested', 250],
      ['cancel_confirmed', 600],
      ['cancel_refused', 250],
    ],
    251: [
      ['fall_back_to_form', 100],
      ['request_sent', 250],
      ['revoked', 600],
    ],
    252: [
      ['data_corrected', 150],
      ['revoked', 600],
    ],
    400: [
      ['date_moved', 400],
      ['date_move_refused', 400],
      ['change_confirmed', 150],
      ['exchange_opened', 450],
      ['cancel_requested', 400],
      ['cancel_confirmed', 600],
      ['cancel_refused', 400],
    ],
    450: [
      ['exchange_failed', 451],
      ['exchange_confirmed', 500],
    ],
    451: [
      ['exchange_opened', 450],
      ['cancel_requested', 451],
      ['cancel_confirmed', 600],
      ['cancel_refused', 451],
    ],
    500: [],
    600: [],
  }
  const dataFor = (event: PortingEvent): PortingData => ({
    portDate: '2026-11-01',
    codes: [event === 'request_rejected' ? '8112' : '8001'],
  })
  for (const status of ['new', ...statuses] as Porting['status'][]) {
    const moves = new Map(expected[status])
    assert.deepEqual(legalEvents(status).toSorted(), [...moves.keys()].toSorted(), String(status))
    for (const event of events) {
      const porting = { status, portDate: '2026-11-01', cancelRequested: event === 'cancel_confirmed' || event === 'cancel_refused' }
      const target = moves.get(event)
      if (target === undefined)
        assert.throws(() => apply(porting, event, dataFor(event), now), conflict(event, String(status)), `${event} in ${status}`)
      else assert.equal(apply(porting, event, dataFor(event), now).status, target, `${event} in ${status}`)
    }
  }
})

test('lists exactly the possible steps with the data they need', () => {
  const data: Record<'portDate' | 'codes', (event: PortingEvent) => PortingData> = {
    portDate: () => ({ portDate: '2026-11-01' }),
    codes: (event) => ({ codes: [event === 'request_agreed' ? '8001' : '8103'] }),
  }
  for (const status of statuses)
    for (const cancelRequested of [false, true]) {
      const porting: Porting = { status, portDate: '2026-11-01', cancelRequested }
      const possible = possibleSteps(porting)
      for (const { event, needs } of possible) apply(porting, event, Object.assign({}, ...needs.map((need) => data[need](event))), now)
      for (const { event, needs } of possible)
        if (needs.length > 0) assert.throws(() => apply(porting, event, {}, now), fieldProblem(needs[0] ?? ''))
      const names = possible.map(({ event }) => event)
      for (const event of events) if (!names.includes(event)) assert.throws(() => apply(porting, event, {}, now), conflict(event))
    }
})

test('follows the WBCI path with a transport error, a rejection and a moved date', () => {
  const rejected = steps(requested(), 'transport_failed', 'request_sent', ['request_rejected', { codes: ['8112'] }])
  assert.equal(rejected.status, 252)
  const again = steps(rejected, 'data_corrected', 'optin_mail_sent', 'optin_expired', 'optin_mail_sent', 'optin_clicked', 'request_sent')
  const moved = steps(
    again,
    ['request_agreed', { codes: ['8002', '8106'], portDate: '2026-12-01' }],
    ['date_moved', { portDate: '2026-12-08' }],
    'date_move_refused',
  )
  assert.deepEqual(moved, { status: 400, portDate: '2026-12-08', cancelRequested: false })
  const exchanging = steps(moved, 'exchange_opened', 'exchange_failed', 'exchange_opened')
  assert.throws(
    () => apply(exchanging, 'exchange_confirmed', {}, at('2026-12-07T23:59:59.999Z')),
    conflict('exchange_confirmed', '450', '2026-12-08'),
  )
  assert.equal(apply(exchanging, 'exchange_confirmed', {}, at('2026-12-08T00:00:00Z')).status, 500)
})

test('rejects completion without a date', () => {
  const undated: Porting = { status: 450, portDate: null, cancelRequested: false }
  assert.throws(() => apply(undated, 'exchange_confirmed', {}, now), conflict('exchange_confirmed', '450', 'no port date'))
})

test('follows the path with the signed form', () => {
  const porting = steps(fresh, 'create_by_form', 'form_received', 'form_refused', 'form_received', [
    'form_agreed',
    { portDate: '2026-12-01' },
  ])
  assert.deepEqual(porting, { status: 400, portDate: '2026-12-01', cancelRequested: false })
})

test('accepts consent once', () => {
  const clicked = steps(fresh, 'create_by_wbci', 'optin_mail_sent', 'optin_clicked')
  assert.throws(() => steps(clicked, 'optin_clicked'), conflict('optin_clicked', '170'))
  assert.throws(() => steps(clicked, 'optin_expired'), conflict('optin_expired', '170'))
})

test('requires a valid date for an agreement', () => {
  const dates = [undefined, '', '2026-13-01', '2026-02-30', '01.12.2026', '2026-12-01T00:00:00Z', '20261201', '2026-12-1']
  for (const portDate of dates) {
    const data = portDate === undefined ? { codes: ['8001'] } : { codes: ['8001'], portDate }
    assert.throws(() => steps(requested(), ['request_agreed', data]), fieldProblem('portDate'), String(portDate))
    assert.throws(() => steps(accepted(), ['date_moved', data]), fieldProblem('portDate'), String(portDate))
  }
})

test('accepts only message codes that fit the answer', () => {
  const portDate = '2026-12-01'
  for (const codes of [[], ['8112'], ['8001', '8112'], ['8003'], ['x'.repeat(1000)]]) {
    assert.throws(() => steps(requested(), ['request_agreed', { codes, portDate }]), fieldProblem('codes'), String(codes))
  }
  assert.throws(() => steps(requested(), ['request_agreed', { portDate }]), fieldProblem('codes'))
  for (const codes of [[], ['8001'], ['8103', '8002']])
    assert.throws(() => steps(requested(), ['request_rejected', { codes }]), fieldProblem('codes'))
  for (const code of agreedCodes) assert.equal(steps(requested(), ['request_agreed', { codes: [code], portDate }]).status, 400)
  for (const code of rejectedCodes) assert.equal(steps(requested(), ['request_rejected', { codes: [code] }]).status, 252)
})

test('explains every code; no code is both consent and rejection', () => {
  for (const code of [...agreedCodes, ...rejectedCodes]) assert.ok(messageCodes[code], code)
  assert.deepEqual(
    [...agreedCodes].filter((code) => rejectedCodes.has(code)),
    [],
  )
})

test('ignores a date given with another event', () => {
  assert.equal(steps(accepted(), ['date_move_refused', { portDate: '2030-01-01' }]).portDate, '2026-12-01')
})

test('drops the date when the agreement is cancelled for a new request', () => {
  assert.deepEqual(steps(accepted(), 'change_confirmed'), { status: 150, portDate: null, cancelRequested: false })
  assert.equal(steps(accepted(), 'cancel_requested', 'cancel_confirmed').portDate, '2026-12-01')
})

test('waits for the present carrier when cancelled after the request', () => {
  for (const porting of [requested(), accepted(), steps(accepted(), 'exchange_opened', 'exchange_failed')]) {
    assert.throws(() => steps(porting, 'revoked'), conflict('revoked', String(porting.status)))
    assert.throws(() => steps(porting, 'cancel_confirmed'), conflict('cancel_confirmed', 'no cancellation was requested'))
    const waiting = steps(porting, 'cancel_requested')
    assert.deepEqual(waiting, { ...porting, cancelRequested: true })
    assert.throws(() => steps(waiting, 'cancel_requested'), conflict('cancel_requested', 'waiting'))
    assert.deepEqual(steps(waiting, 'cancel_refused'), porting)
    assert.deepEqual(steps(waiting, 'cancel_confirmed'), { ...porting, status: 600, cancelRequested: false })
  }
})

test('does not switch while a cancellation is open', () => {
  const waiting = steps(accepted(), 'cancel_requested')
  assert.throws(() => steps(waiting, 'exchange_opened'), conflict('exchange_opened', '400', 'cancellation'))
  assert.equal(steps(waiting, 'cancel_refused', 'exchange_opened').status, 450)
})

test('keeps an open cancellation after the consent and drops it with the request', () => {
  const waiting = steps(requested(), 'cancel_requested')
  assert.equal(steps(waiting, agreed).cancelRequested, true)
  assert.equal(steps(waiting, 'transport_failed').cancelRequested, false)
  assert.equal(steps(waiting, ['request_rejected', { codes: ['8117'] }]).cancelRequested, false)
})

test('maps a revocation to its event by state', () => {
  assert.deepEqual(statuses.filter(revocable), [100, 150, 160, 170, 200, 250, 251, 252, 400])
  for (const status of statuses.filter(revocable)) assert.ok(legalEvents(status).includes(revocationEvent(status)), String(status))
  assert.equal(revocationEvent(252), 'revoked')
  assert.equal(revocationEvent(400), 'cancel_requested')
  for (const status of [450, 451, 500, 600] as const) {
    assert.throws(
      () => revocationEvent(status),
      (error) => error instanceof Problem && error.code === 'porting_not_revocable',
    )
  }
})

test('keeps other fields and does not mutate its input', () => {
  const stored = Object.freeze({ ...fresh, id: 7, carrier: 'D999' })
  assert.deepEqual(apply(stored, 'create_by_wbci', {}, now), {
    id: 7,
    carrier: 'D999',
    status: 150,
    portDate: null,
    cancelRequested: false,
  })
})

test('completes only with a reached date and never while a cancellation is open, for any sequence of events', () => {
  const data = fc.record({
    portDate: fc.constantFrom('2026-11-01', '2027-01-01'),
    codes: fc.constantFrom('8001', '8112').map((code) => [code]),
  })
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...events), data), { maxLength: 60 }), (story) => {
      let porting = fresh
      for (const [event, details] of story) {
        try {
          porting = apply(porting, event, details, now)
        } catch (error) {
          assert.ok(error instanceof Problem && error.status < 500)
        }
        if (porting.status === 500) assert.ok(porting.portDate !== null && at(porting.portDate) <= now)
        if (porting.cancelRequested) assert.ok([250, 400, 451].includes(Number(porting.status)))
      }
    }),
    { numRuns: 500 },
  )
})
