import { assistantTemplates, withTransfer, type TemplateLanguage, type TemplateName } from '@offhook/contract/v3/assistant-templates.ts'
import type { Draft } from './draft.ts'

/** One of the templates, or nothing but a greeting, because callers must hear something. */
export type Beginning = TemplateName | 'blank'

/** Times are meant as they are where this browser is. */
export const beginningOf = (beginning: Beginning, language: TemplateLanguage, target = ''): Draft => {
  const { timeZone: time_zone } = Intl.DateTimeFormat().resolvedOptions()
  const draft = { ...(beginning === 'blank' ? blank(language) : assistantTemplates[beginning][language].settings), time_zone }
  return target === '' ? draft : withTransfer(draft, target, language)
}

const blank = (language: TemplateLanguage): Draft => {
  const { greeting, disclosure } = assistantTemplates.reception[language].settings
  return { greeting, prompt: '', ...(disclosure && { disclosure }) }
}
