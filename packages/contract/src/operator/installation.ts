import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Input, Output, Text } from '../values.ts'
import { limitFields } from './balances.ts'

const billingFields = {
  sellerName: Type.Optional(Text(200)),
  sellerAddress: Type.Optional(Text(500)),
  taxId: Type.Optional(Text(50)),
  taxPercent: Type.Optional(Type.Number({ minimum: 0, maximum: 100, description: 'Contained in all prices' })),
  topUpUrl: Type.Optional(Type.String({ maxLength: 500, pattern: '^https?://[^\\s"<>]+$', description: 'Where customers pay money in' })),
  topUpText: Type.Optional(Text(500)),
}

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
  readInstallationLimits: operation({
    id: 'readInstallationLimits',
    method: 'GET',
    path: '/operator/v1/installation/limits',
    summary: 'What accounts may spend for which nothing else was set, and which destinations are open for all',
    auth: 'operator',
    bearer: true,
    status: 200,
    reply: Output({
      perDay: Type.Integer(),
      paidCalls: Type.Integer(),
      opened: Type.Array(Type.String()),
      usuallyOpen: Type.Array(Type.String(), { description: 'Countries whose ordinary numbers are always open' }),
    }),
  }),
  setInstallationLimits: operation({
    id: 'setInstallationLimits',
    method: 'PUT',
    path: '/operator/v1/installation/limits',
    summary: 'Set them; what is left out is as it was at the beginning',
    auth: 'operator',
    bearer: true,
    body: Input(limitFields),
    status: 204,
  }),
  readBilling: operation({
    id: 'readBilling',
    method: 'GET',
    path: '/operator/v1/installation/billing',
    summary: 'Who sells, and how customers pay money in',
    auth: 'operator',
    bearer: true,
    status: 200,
    reply: Output(billingFields),
  }),
  setBilling: operation({
    id: 'setBilling',
    method: 'PUT',
    path: '/operator/v1/installation/billing',
    summary: 'Set them all; with name, address, tax number and rate of the seller, monthly statements are invoices from now on',
    auth: 'operator',
    bearer: true,
    body: Input(billingFields),
    status: 204,
  }),
}
