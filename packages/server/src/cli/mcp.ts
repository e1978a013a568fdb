import { mcpOverStdio } from '@offhook/mcp'
import { clientsFor } from '@offhook/mcp/clients.ts'
import { version } from '#settings/version.ts'
import { connect, inWords, type ConnectionOptions } from './connection/connection.ts'

/** Serves MCP tools on stdin and stdout, without other output, to the parent program. */
export const mcp = async (options: ConnectionOptions): Promise<void> => {
  const { baseUrl, token } = await connect(options)
  const client = clientsFor({ baseUrl, token })
  try {
    await client(false).getAccess() // reports a wrong token here, because an MCP client without tools cannot explain it
  } catch (error) {
    throw inWords(error, baseUrl)
  }
  mcpOverStdio({ client, version: version() }, (error) => console.error(error.message))
}
