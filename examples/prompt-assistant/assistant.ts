// An assistant from a prompt. Run it:            npx node examples/prompt-assistant/assistant.ts
// and talk to it, from another terminal:         npx offhook dev --ws ws://127.0.0.1:3001 --events
import { existsSync } from 'node:fs'
import { listenAlone } from '@offhook/agent'

const secrets = new URL('.env', import.meta.url)
if (existsSync(secrets)) process.loadEnvFile(secrets)
const { MODEL_URL = 'http://127.0.0.1:11434/v1', MODEL_NAME = 'qwen3:4b', MODEL_KEY, API_KEY, PORT = '3001' } = process.env

const { url } = await listenAlone(
  {
    model: { url: MODEL_URL, name: MODEL_NAME, api_key: MODEL_KEY || null },
    greeting: 'Hello, you have reached the reception. How can I help you?',
    prompt: `You are the reception of our company and answer its telephone. You are friendly, calm and brief.

Callers hear you, they do not read you. Begin every answer with a short sentence. Say at most three sentences, then let the caller speak. Ask one question at a time. Never speak in lists, and use no headings, links or symbols. Say times and numbers as people say them. Repeat names and phone numbers to make sure that they are right.

If you do not know something, say so. Never make up prices, times or promises. When the caller has all they want, say goodbye and hang up.

What you know:
We are open from Monday to Friday, from nine in the morning to five in the afternoon.
Our address is on our website.

What you do:
Answer questions with what you know and with what you can look up. If somebody wants to talk to a person and you cannot put them through, offer to take a message: ask for the name, the phone number and what it is about.`,
    disclosure: { mode: 'first' },
    keys: [
      { digit: '1', does: 'say', text: 'We are open from Monday to Friday, from nine in the morning to five in the afternoon.' },
      { digit: '2', does: 'take_message', text: 'Please tell us your name, your phone number and what it is about.' },
    ],
    tools: { hang_up: true, take_message: {} },
    result: {
      summary: true,
      outcomes: ['answered', 'message taken', 'put through', 'not helped'],
      fields: {
        type: 'object',
        properties: {
          caller_name: { type: 'string', description: 'Who called' },
          topic: { type: 'string', description: 'What it was about, in a few words' },
          call_back: { type: 'boolean', description: 'The caller wants to be called back' },
        },
      },
    },
    failed_text: 'I am sorry, I cannot answer that at the moment. Press two to leave a message.',
  },
  {
    language: 'en-US',
    port: Number(PORT),
    ...(API_KEY && { apiKey: API_KEY }),
    own: {
      // What callers leave: send it by mail, make a ticket of it.
      takeMessage: async (call, { name, phone, text }) => {
        console.log(`A message from ${name ?? phone ?? call}: ${text}`)
        return { done: true }
      },
    },
  },
)
console.log(url)
