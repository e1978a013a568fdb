// Books an appointment over a WebSocket: asks, understands, repeats, and can be interrupted. Run it, and talk to it from another terminal:
//   npx node examples/appointments/assistant.ts     and     npx offhook dev --ws ws://127.0.0.1:3001
import { live } from '@offhook/sdk'
import { serve } from '@offhook/sdk/serve.ts'

const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday']
const hours: Record<string, string> = { nine: '9', ten: '10', eleven: '11', two: '2', three: '3', four: '4' }

/** What the caller wants, as far as it is known; one for each call. */
class Appointment {
  day: string | undefined
  hour: string | undefined

  get isKnown(): boolean {
    return this.day !== undefined && this.hour !== undefined
  }

  hear(said: string): void {
    if (this.isKnown && /\b(no|wrong)\b/.test(said)) this.day = this.hour = undefined
    this.day = days.find((day) => said.includes(day)) ?? this.day
    const hour = Object.keys(hours).find((word) => said.includes(word)) ?? Object.values(hours).find((digit) => said.includes(digit))
    this.hour = hour === undefined ? this.hour : (hours[hour] ?? hour)
  }

  get question(): string {
    if (this.day === undefined) return 'On which day would you like to come, Monday to Friday?'
    if (this.hour === undefined) return `On ${this.day}. At what time? We have nine, ten, eleven, two, three and four.`
    return `That is ${this.day} at ${this.hour} o'clock. Is that right?`
  }
}

export const bot = live<Appointment>(
  {
    session_start: () => 'Welcome to the practice. On which day would you like to come?',
    async *user_speak({ text }, { state }) {
      const said = text.toLowerCase()
      if (state.isKnown && /\b(yes|right|correct)\b/.test(said)) {
        yield 'Your appointment is booked. ' // what is given word by word is spoken while the rest comes, as from a language model
        yield 'Thank you, goodbye.'
        yield { type: 'hangup' } // waits until everything was heard
        return
      }
      state.hear(said)
      yield state.question
    },
  },
  { state: () => new Appointment() },
)

if (import.meta.main) {
  const { PORT = '3001', API_KEY } = process.env
  const { url } = await serve(bot, { port: Number(PORT), apiKey: API_KEY })
  console.log(url)
}
