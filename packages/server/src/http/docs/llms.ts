import { operations } from '@offhook/contract/api/operations.ts'

/** For programs that read before they write code (llmstxt.org). `guides` is the list of guides as it stands in their folder. */
export const llmsText = (guides: string): string => `# Offhook

> A self-hosted voice-assistant phone service. A call arrives, the caller's words reach your endpoint as JSON events over a webhook or a
> WebSocket, and the actions that it answers (speak, transfer, hangup …) are done in the call. Around it: a telephone account over REST.

- Every request but logging in carries \`Authorization: Bearer TOKEN\`, or Basic with a personal access token. Bodies are JSON.
- Errors are \`{ "name", "message", "code", "details"? }\`; \`code\` is for programs, \`details\` names fields.
- What belongs to another account is 404. Requests that cost money take an \`Idempotency-Key\`.
- /v1 is the account (users, devices, numbers, fax, SMS, portings, balance), /v2 are calls and history, /v3 are assistants (flows),
  /operator/v1 is for whoever runs the installation.

## Reference

- [OpenAPI 3.1](/docs/openapi.json): all ${Object.keys(operations).length} operations with their shapes
- [Errors](/docs/errors.md): every code
- [Log events](/docs/log-events.md): every line that the service logs, and what to do about it
- [Settings](/docs/settings.md): every environment variable of the service
- [The same for people](/docs/)

## Guides

${linesOf(guides)}
`

/** Links lead to where guides are served. */
const linesOf = (guides: string): string =>
  guides
    .split('\n')
    .filter((line) => line.startsWith('- ['))
    .map((line) => line.replace('](', '](/docs/guides/'))
    .join('\n')
