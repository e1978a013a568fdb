export { mcpServer, tools, type McpParts } from './mcp-server.ts'
export { mcpOverHttp, type HttpParts } from './over-http.ts'
export { mcpOverStdio } from './over-stdio.ts'
