import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { mcpServer, type McpParts } from './mcp-server.ts'

/** Serves the program that started this process, until it closes the input. */
export const mcpOverStdio = (deps: McpParts, onFailure: (error: Error) => void): { close: () => Promise<void> } =>
  serveStdio(() => mcpServer(deps), { onerror: onFailure })
