import type { Sources } from './sources.ts'

/** For programs that read before they write code (llmstxt.org). Links lead to Markdown. */
export const llmsText = ({ guides, others }: Sources, operations: number): string => `# Offhook

> A self-hosted voice-assistant phone service. A call arrives, the caller's words reach your endpoint as JSON events over a webhook or a
> WebSocket, and the actions that it answers (speak, transfer, hangup …) are done in the call. Around it: a telephone account over REST.

- Every request but logging in carries \`Authorization: Bearer TOKEN\`, or Basic with a personal access token. Bodies are JSON.
- Errors are \`{ "name", "message", "code", "details"? }\`; \`code\` is for programs, \`details\` names fields.
- What belongs to another account is 404. Requests that cost money take an \`Idempotency-Key\`.
- /v1 is the account (users, devices, numbers, fax, SMS, portings, balance), /v2 are calls and history, /v3 are assistants (flows),
  /operator/v1 is for whoever runs the installation.

## OpenAPI

- [OpenAPI 3.1](/docs/openapi.json): all ${operations} operations with their shapes
- [The same for people](/docs/api/)
- [AsyncAPI 3](/docs/asyncapi.json): the events of a call and the actions that answer them, over webhooks and WebSockets
- JSON Schemas of [events](/docs/api/schemas/events.schema.json), [actions](/docs/api/schemas/actions.schema.json) and [scenario files](/docs/api/schemas/scenario.schema.json)

${[{ title: 'Guides', pages: guides.flatMap(({ pages }) => pages) }, ...others].map((group) => partOf(group)).join('\n\n')}
`

const partOf = ({ title, pages }: { title: string; pages: Sources['others'][number]['pages'] }): string =>
  `## ${title}\n\n${pages.map((page) => `- [${page.title}](/docs/${page.path}.md): ${page.about}`).join('\n')}`
