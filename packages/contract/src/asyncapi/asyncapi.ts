import { actions } from '../assistant/actions.ts'
import { assistantEvents, webSocketEvents } from '../assistant/events.ts'
import { actionShapes, eventShapes, mostActions, type Json } from './json-schemas.ts'

const inComponents = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })
const overWebhooks = Object.keys(assistantEvents).filter((type) => !(webSocketEvents as readonly string[]).includes(type))
const overWebSockets = [...Object.keys(assistantEvents), 'session_resume']

/** The messages between the service and a flow's endpoint as AsyncAPI 3. The service is the sender of events. */
export const asyncapi = (version: string): Json => ({
  asyncapi: '3.0.0',
  info: {
    title: 'Offhook: events and actions of assistants',
    version,
    description:
      'A call arrives, its events are sent to the endpoint of a flow, and the actions that the endpoint answers are done in the call. ' +
      'How things are done stands in the guide [Assistants](/docs/guides/assistants).',
    license: { name: 'MIT' },
  },
  defaultContentType: 'application/json',
  channels: { webhook, webSocket },
  operations,
  components: {
    messages: { ...eventMessages(), actions: actionsMessage },
    schemas: { ...eventShapes(inComponents), ...prefixed(actionShapes()) },
    messageTraits: { signed },
  },
})

const webhook = {
  title: 'Webhook',
  address: '{webhookUrl}',
  description: 'One POST for each event, one at a time. The reply has the actions; 204 means that nothing is to be done.',
  parameters: { webhookUrl: { description: 'As the flow says it' } },
  messages: messagesOf([...overWebhooks, 'actions']),
  bindings: {},
}

const webSocket = {
  title: 'WebSocket',
  address: '{websocketUrl}',
  description: 'The service opens one connection for each call. Every text frame is an event, or an action, or a list of actions.',
  parameters: { websocketUrl: { description: 'As the flow says it' } },
  messages: messagesOf([...overWebSockets, 'actions']),
  bindings: {
    ws: {
      method: 'GET',
      headers: { type: 'object', properties: { 'X-API-Key': { type: 'string', description: 'The flow’s apiKey, if it has one' } } },
    },
  },
}

const operations = {
  postEvent: {
    action: 'send',
    channel: { $ref: '#/channels/webhook' },
    messages: inChannel('webhook', overWebhooks),
    bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
    reply: { channel: { $ref: '#/channels/webhook' }, messages: inChannel('webhook', ['actions']) },
  },
  sendEvent: { action: 'send', channel: { $ref: '#/channels/webSocket' }, messages: inChannel('webSocket', overWebSockets) },
  takeActions: { action: 'receive', channel: { $ref: '#/channels/webSocket' }, messages: inChannel('webSocket', ['actions']) },
}

function messagesOf(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]))
}

function inChannel(channel: string, names: readonly string[]): Json[] {
  return names.map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` }))
}

const eventMessages = (): Json =>
  Object.fromEntries(
    overWebSockets.map((type) => {
      const isPosted = overWebhooks.includes(type)
      return [
        type,
        { name: type, payload: inComponents(type), ...(isPosted && { traits: [{ $ref: '#/components/messageTraits/signed' }] }) },
      ]
    }),
  )

/** An action and an event may have the same name. */
const actionName = (type: string): string => `action_${type}`
const prefixed = (shapes: Record<string, Json>): Json =>
  Object.fromEntries(Object.entries(shapes).map(([type, shape]) => [actionName(type), shape]))

const anyAction = { anyOf: Object.keys(actions).map((type) => inComponents(actionName(type))) }
const actionsMessage = {
  name: 'actions',
  payload: { anyOf: [...anyAction.anyOf, { type: 'array', items: anyAction, maxItems: mostActions }] },
}

const signed = {
  headers: {
    type: 'object',
    description: 'Of the request, over a webhook',
    properties: {
      'Webhook-Id': { type: 'string' },
      'Webhook-Timestamp': { type: 'string', description: 'Seconds since 1970' },
      'Webhook-Signature': { type: 'string', description: 'As Standard Webhooks have it, with the secret of the flow' },
      'X-API-Key': { type: 'string', description: 'The flow’s apiKey, if it has one' },
      'X-Event-Id': { type: 'string', description: 'The same for every attempt' },
      'X-Offhook-Sequence': { type: 'string', description: 'Place in the call, counted from 1' },
      'X-Offhook-Turn': { type: 'string' },
    },
  },
}
