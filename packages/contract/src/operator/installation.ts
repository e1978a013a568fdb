import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Output } from '../values.ts'

export const operatorInstallationOperations = {
  readInstallation: operation({
    id: 'readInstallation',
    method: 'GET',
    path: '/operator/v1/installation',
    summary: 'What is true for the whole installation, by its settings',
    auth: 'operator',
    bearer: true,
    status: 200,
    reply: Output({
      publicUrl: Type.String({ description: 'How clients reach the REST interface' }),
      carrierCode: Type.String({ description: 'Ours, towards other carriers' }),
      country: Type.String({ description: 'Of new accounts' }),
      currency: Type.String({ description: 'Of new accounts' }),
      sandbox: Type.Boolean({ description: 'Its time can be put forward' }),
    }),
  }),
}
