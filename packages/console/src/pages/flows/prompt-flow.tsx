import { NativeSelect, Radio, Stack, TextInput } from '@mantine/core'
import { assistantTemplates, templateLanguages, templateNames, type TemplateLanguage } from '@offhook/contract/v3/assistant-templates.ts'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useWrite } from '#api/use-service.ts'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { useLanguage, useText } from '#words/use-text.tsx'
import { beginningOf, type Beginning } from './assistant/template-draft.ts'
import { text } from './parts/text.ts'

interface Values {
  name: string
  template: Beginning
  language: TemplateLanguage
  transfer_targets: string
}

/** Language tag of a flow per template language. */
const tags: Readonly<Record<TemplateLanguage, string>> = { en: 'en-US', de: 'de-DE' }

/** An assistant from a template: creates the flow, saves the draft, opens it. */
export const PromptFlow = ({ onClose }: { onClose: () => void }) => {
  const say = useText(text)
  const { language } = useLanguage()
  const { make, pending, error } = useMake()
  const form = useForm<Values>({ name: '', template: 'reception', language, transfer_targets: '' }, error)
  const { values } = form
  const choices = templateNames.map((name) => ({ value: name, ...assistantTemplates[name][language] }))
  return (
    <FormModal
      opened
      title={say.whoPrompt}
      submit={say.make}
      onClose={onClose}
      onSubmit={() => void make(values)}
      pending={pending}
      error={error}
    >
      <Radio.Group label={say.template} value={values.template} onChange={(template) => form.set('template', template)}>
        <Stack gap="xs" mt="xs">
          {choices.map(({ value, name, description }) => (
            <Radio key={value} value={value} label={name} description={description} />
          ))}
          <Radio value="blank" label={say.blank} description={say.blankHint} />
        </Stack>
      </Radio.Group>
      <TextInput
        label={say.name}
        description={say.nameHint}
        placeholder={choices.find(({ value }) => value === values.template)?.name ?? ''}
        maxLength={100}
        {...form.text('name')}
      />
      <NativeSelect
        label={say.templateLanguage}
        data={templateLanguages.map((value) => ({ value, label: say.templateLanguages[value] }))}
        {...form.text('language')}
      />
      <TextInput label={say.transferTo} description={say.transferToHint} maxLength={40} {...form.text('transfer_targets')} />
    </FormModal>
  )
}

/** Two requests; a retry after a failure of the second reuses the flow of the first. */
const useMake = () => {
  const say = useText(text)
  const [, go] = useLocation()
  const [made, setMade] = useState<string>()
  const create = useWrite('createFlow', { refreshes: ['listFlows'] })
  const write = useWrite('changeAssistant', { refreshes: ['getAssistant'] })
  const make = async (values: Values): Promise<void> => {
    const { template, language, transfer_targets } = values
    const name = values.name.trim() || (template === 'blank' ? say.tabs.assistant : assistantTemplates[template][language].name)
    const target = transfer_targets.trim()
    const input = { name, endpoint: 'assistant', language: tags[language], ...(target !== '' && { transfer_targets: [target] }) } as const
    try {
      const aiFlowId = made ?? (await create.mutateAsync([{}, input])).id
      setMade(aiFlowId)
      await write.mutateAsync([{ aiFlowId }, { settings: beginningOf(template, language, target) }])
      go(`/flows/${aiFlowId}/assistant`)
    } catch {
      // The error is in `error`.
    }
  }
  return { make, pending: create.isPending || write.isPending, error: create.error ?? write.error }
}
