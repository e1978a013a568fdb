import { assistantTemplates, withTransfer, type TemplateLanguage, type TemplateName } from '@offhook/contract/v3/assistant-templates.ts'
import type { Draft } from './draft.ts'

/** A template, or only a greeting, because callers must hear something. */
export type Beginning = TemplateName | 'blank'

/** Uses the browser's time zone. */
export const beginningOf = (beginning: Beginning, language: TemplateLanguage, target = ''): Draft => {
  const { timeZone: time_zone } = Intl.DateTimeFormat().resolvedOptions()
  const draft = { ...(beginning === 'blank' ? blank(language) : assistantTemplates[beginning][language].settings), time_zone }
  return target === '' ? draft : withTransfer(draft, target, language)
}

const blank = (language: TemplateLanguage): Draft => {
  const { greeting, disclosure } = assistantTemplates.reception[language].settings
  return { greeting, prompt: '', ...(disclosure && { disclosure }) }
}
