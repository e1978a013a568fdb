import { Problem } from '@offhook/contract/problem.ts'
import type { translationOperations } from '@offhook/contract/v1/translations.ts'
import { translations } from '#core/kernel/translations/index.ts'
import type { Handlers } from '../handler/context.ts'

export const translationHandlers = (): Handlers<typeof translationOperations> => ({
  getTranslations: async ({ params }) => {
    const texts = translations(params.language.replace('-', '_'))
    if (!texts) throw new Problem('language_not_found')
    return texts
  },
})
