import { createMcpHandler } from '@modelcontextprotocol/server'
import { clientsFor } from './clients.ts'
import { mcpServer } from './mcp-server.ts'

export interface HttpParts {
  /** Sends requests to the service's API. */
  fetch: typeof fetch
  version: string
  onFailure: (error: Error) => void
}

export interface HttpHandler {
  fetch: (request: Request) => Promise<Response>
  close: () => Promise<void>
}

/** Answers MCP requests. Stateless, so that any process can answer the next one. */
export const mcpOverHttp = ({ fetch: send, version, onFailure }: HttpParts): HttpHandler => {
  const factory = ({ requestInfo }: { requestInfo?: Request }) => {
    const authorization = requestInfo?.headers.get('authorization') ?? ''
    return mcpServer({ client: clientsFor({ baseUrl: 'http://inside', fetch: send, authorization }), version })
  }
  const { fetch: answer, close } = createMcpHandler(factory, { maxSubscriptions: 0, onerror: onFailure })
  return { fetch: (request) => answer(request), close }
}
