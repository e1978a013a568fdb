import type { AssistantSettings } from '@offhook/contract/v3/assistant-values.ts'
import type { CalendarAnswer, CalendarRequest, Host } from '../host.ts'
import { objectOf, refused, type Tool, type ToolRun } from './tool.ts'

type Settings = NonNullable<NonNullable<AssistantSettings['tools']>['calendar']>

interface CalendarDeps {
  host: Host
  sessionId: string
  /** Language of the call, at the time of the use. */
  language: () => string
}

const service = { type: 'string', maxLength: 40, description: 'Id of the service; left out: the only one, or an answer that names all' }
const person = { type: 'string', maxLength: 40, description: 'Id of the person, if the caller wants somebody in particular' }
const start = {
  type: 'string',
  minLength: 16,
  maxLength: 16,
  description: 'The start of a free time, as find_times gave it: 2027-01-31T14:30',
}
const booking = { type: 'string', maxLength: 60, description: 'The id, as my_bookings or book_time gave it' }

/** Tools that book: the service decides which times are free, and a time is nobody else's once it is held. */
export const calendarTools = ({ changes = 'call' }: Settings, { host, sessionId, language }: CalendarDeps): Tool[] => {
  const ask: Ask = async (request) => runOf(await host.calendar(sessionId, language(), request))
  return changes === 'off' ? bookingTools(ask) : [...bookingTools(ask), ...changingTools(ask)]
}

type Ask = (request: CalendarRequest) => Promise<ToolRun>

const text = (value: unknown): string | undefined => (typeof value === 'string' && value.trim() !== '' ? value : undefined)

const bookingTools = (ask: Ask): Tool[] => [
  {
    name: 'find_times',
    description:
      'Finds free times for an appointment. Offer two or three of them, in the words of `say`. Never offer a time that it did not give.',
    parameters: objectOf({
      service,
      person,
      day: {
        type: 'string',
        minLength: 10,
        maxLength: 10,
        description: 'First day, if the caller named one: 2027-01-31; otherwise from now on',
      },
      days: { type: 'integer', minimum: 1, maximum: 31, description: 'How many days to look; 1 for a certain day' },
      part: { type: 'string', enum: ['morning', 'afternoon', 'evening'], description: 'Part of the day, if the caller named one' },
    }),
    run: (args) =>
      ask({
        do: 'find',
        service: text(args['service']),
        person: text(args['person']),
        day: text(args['day']),
        days: typeof args['days'] === 'number' ? args['days'] : undefined,
        part: args['part'] as 'morning' | 'afternoon' | 'evening' | undefined,
      }),
  },
  {
    name: 'hold_time',
    description:
      'Holds a free time for some minutes, as soon as the caller chose it. It is not booked yet: ask for the name, then use book_time.',
    parameters: objectOf({ start, service, person }, ['start']),
    run: (args) => ask({ do: 'hold', start: String(args['start']), service: text(args['service']), person: text(args['person']) }),
  },
  {
    name: 'book_time',
    description: 'Books the time that is held. Only after it the appointment exists: do not say before that it is booked.',
    parameters: objectOf(
      {
        name: { type: 'string', minLength: 1, maxLength: 200, description: 'Who comes' },
        email: {
          type: 'string',
          maxLength: 254,
          description: 'Where the appointment is sent, if the caller wants that: spelt back and confirmed',
        },
        note: { type: 'string', maxLength: 500, description: 'What those who do it should know' },
      },
      ['name'],
    ),
    run: (args) => ask({ do: 'book', name: String(args['name']), email: text(args['email']), note: text(args['note']) }),
  },
]

const changingTools = (ask: Ask): Tool[] => [
  {
    name: 'my_bookings',
    description: 'The appointments that this caller may move or cancel.',
    parameters: objectOf({}),
    run: () => ask({ do: 'list' }),
  },
  {
    name: 'move_booking',
    description: 'Moves an appointment to another free time. The old one stays if the new one is taken.',
    parameters: objectOf({ booking, start }, ['booking', 'start']),
    run: (args) => ask({ do: 'move', booking: String(args['booking']), start: String(args['start']) }),
  },
  {
    name: 'cancel_booking',
    description: 'Cancels an appointment. Repeat which one, and use it only after the caller said yes.',
    parameters: objectOf({ booking }, ['booking']),
    run: (args) => ask({ do: 'cancel', booking: String(args['booking']) }),
  },
]

const runOf = (answer: CalendarAnswer): ToolRun => ('refused' in answer ? refused(answer.refused) : { status: 'ok', content: answer.done })
