import { Type } from 'typebox'
import { operation } from '../operation.ts'

export const translationOperations = {
  getTranslations: operation({
    id: 'getTranslations',
    method: 'GET',
    path: '/v1/translations/{language}',
    summary: 'Texts of the interface in a language such as de_DE; another region gets those of its language',
    auth: 'public',
    bearer: false,
    status: 200,
    reply: Type.Record(Type.String(), Type.String()),
    errors: ['language_not_found'],
  }),
}
