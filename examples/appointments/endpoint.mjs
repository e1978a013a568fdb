// Books an appointment over a WebSocket: asks, understands, repeats, and can be interrupted.
//   API_KEY=… node examples/appointments/endpoint.mjs
import { WebSocketServer } from 'ws'

const { PORT = '3001', API_KEY } = process.env
const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday']
const hours = { nine: '9', ten: '10', eleven: '11', two: '2', three: '3', four: '4' }

/** What the caller wants, as far as it is known; one for each call. */
class Appointment {
  day
  hour

  /** The next thing to say, and whether that is all. */
  hear(words) {
    const said = words.toLowerCase()
    if (this.day && this.hour && /\b(yes|right|correct)\b/.test(said))
      return { say: 'Your appointment is booked. Thank you, goodbye.', done: true }
    if (this.day && this.hour && /\b(no|wrong)\b/.test(said)) this.day = this.hour = undefined
    this.day = days.find((day) => said.includes(day)) ?? this.day
    const hour = Object.keys(hours).find((word) => said.includes(word)) ?? Object.values(hours).find((digit) => said.includes(digit))
    this.hour = hours[hour] ?? hour ?? this.hour
    if (!this.day) return { say: 'On which day would you like to come, Monday to Friday?' }
    if (!this.hour) return { say: `On ${this.day}. At what time? We have nine, ten, eleven, two, three and four.` }
    return { say: `That is ${this.day} at ${this.hour} o'clock. Is that right?` }
  }
}

const server = new WebSocketServer({
  port: Number(PORT),
  host: '127.0.0.1',
  perMessageDeflate: false,
  verifyClient: ({ req }) => !API_KEY || req.headers['x-api-key'] === API_KEY,
})

server.on('connection', (socket) => {
  const appointment = new Appointment()
  socket.on('message', (data) => {
    const { type, text = '', turn, session } = JSON.parse(data)
    const send = (...actions) => socket.send(JSON.stringify(actions.map((action) => ({ session_id: session.id, turn, ...action }))))
    /** Sentence by sentence, as a language model would give it: the first sounds while the others are still coming. */
    const speak = (sentences) => {
      const pieces = sentences.match(/[^.?!]+[.?!]/g) ?? [sentences]
      const spoken = pieces.map((text) => ({ type: 'speak', stream_id: `turn-${turn}`, text, last: false }))
      const last = { ...spoken.pop(), last: true }
      for (const piece of [...spoken, last]) send(piece)
    }
    if (type === 'session_start') speak('Welcome to the practice. On which day would you like to come?')
    if (type !== 'user_speak') return
    const { say, done } = appointment.hear(text)
    speak(say)
    if (done) send({ type: 'hangup' }) // waits until everything was heard
  })
})
server.on('listening', () => console.log(`ws://127.0.0.1:${server.address().port}/`))
