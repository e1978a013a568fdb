import { appointments } from './assistant-templates/appointments.ts'
import { outOfHours } from './assistant-templates/out-of-hours.ts'
import { reception } from './assistant-templates/reception.ts'
import type { InTemplateLanguages, TemplateLanguage } from './assistant-templates/template.ts'
import type { AssistantSettings } from './assistant-values.ts'

export { templateLanguages, type AssistantTemplate, type TemplateLanguage } from './assistant-templates/template.ts'

export const templateNames = ['reception', 'appointments', 'out_of_hours'] as const
export type TemplateName = (typeof templateNames)[number]

/** Assistants to begin with. Data only: browsers get it, too, and they do not get the schemas. */
export const assistantTemplates: Readonly<Record<TemplateName, InTemplateLanguages>> = {
  reception,
  appointments,
  out_of_hours: outOfHours,
}

const colleague: Readonly<Record<TemplateLanguage, { when: string; text: string }>> = {
  en: { when: 'The caller wants to talk to a person', text: 'I am putting you through.' },
  de: { when: 'Der Anrufer möchte mit einem Menschen sprechen', text: 'Ich stelle Sie durch.' },
}

/** The same with somebody to put callers through to, by words and with the key 0. The flow has to allow the target (`transfer_targets`). */
export const withTransfer = (settings: AssistantSettings, target: string, language: TemplateLanguage): AssistantSettings => {
  const { when, text } = colleague[language]
  return {
    ...settings,
    keys: [...(settings.keys ?? []), { digit: '0', does: 'transfer', text, transfer_to: 'colleague' }],
    tools: { ...settings.tools, transfer: [...(settings.tools?.transfer ?? []), { name: 'colleague', target, when }] },
  }
}
