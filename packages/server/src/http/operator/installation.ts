import type { operatorInstallationOperations } from '@offhook/contract/operator/installation.ts'
import type { Handlers } from '../context.ts'
import type { Parts } from '../parts.ts'

export const operatorInstallationHandlers = ({ installation, sandbox }: Parts): Handlers<typeof operatorInstallationOperations> => ({
  readInstallation: async () => {
    const { publicUrl, carrierCode, country, currency } = installation
    return { publicUrl: publicUrl(), carrierCode, country, currency, sandbox: sandbox !== undefined }
  },
})
