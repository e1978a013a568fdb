import { Problem } from '@offhook/contract/problem.ts'
import type { FastifyInstance } from 'fastify'
import { linphoneSettings } from '#core/account/devices/linphone-settings.ts'
import type { HandlerDeps } from '../handler/handler-parts.ts'

type ProvisioningDeps = Pick<HandlerDeps, 'softphoneLinks' | 'vault' | 'installation'>

/** For softphones that have scanned a code: they know no token, only the signed address that stood in it. */
export const mountSoftphoneProvisioning = (app: FastifyInstance, { softphoneLinks, vault, installation }: ProvisioningDeps): void => {
  app.get('/softphone/:deviceId/:mark', async (request, reply) => {
    const { alias, sip } = await softphoneLinks.open(request.url)
    if (!sip) throw new Problem('softphone_link_invalid')
    const { host, port } = installation.sip
    const login = { alias, username: sip.username, password: vault.open(sip.passwordSealed), host, port }
    return reply.header('cache-control', 'no-store').type('application/xml; charset=utf-8').send(linphoneSettings(login))
  })
}
