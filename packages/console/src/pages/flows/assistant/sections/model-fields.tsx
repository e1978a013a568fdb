import { Checkbox, NativeSelect, NumberInput, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useText } from '#words/use-text.tsx'
import { Fields } from '../../settings/fields.tsx'
import { isMoved } from '../draft.ts'
import type { DraftForm } from '../use-draft-form.ts'
import { text } from './model-text.ts'
import type { ReactNode } from 'react'
import classes from './more.module.css'

type ModelFieldsProps = { form: DraftForm; path: 'model' | 'model/second'; keySet: boolean }

/** One model: address, name, key; rarely changed settings below. */
export const ModelFields = ({ form, path, keySet }: ModelFieldsProps) => {
  const say = useText(text)
  const fill = (label: string): void => {
    const preset = presets.find((one) => one.label === label)
    if (preset) form.set(path, { ...(form.at(path) as object | undefined), url: preset.url, name: preset.name })
  }
  return (
    <>
      <Fields>
        <NativeSelect
          label={say.preset}
          data={[{ value: '', label: say.choose }, ...presets.map(({ label }) => label)]}
          value={presets.find(({ url }) => url === form.at(`${path}/url`))?.label ?? ''}
          onChange={(event) => fill(event.currentTarget.value)}
        />
        <TextInput label={say.name} maxLength={200} {...form.text(`${path}/name`)} />
        <TextInput
          label={say.url}
          description={say.urlHint}
          placeholder="http://127.0.0.1:11434/v1"
          maxLength={2000}
          {...form.text(`${path}/url`)}
        />
        <KeyField form={form} path={`${path}/api_key`} keySet={keySet} />
      </Fields>
      <More label={say.more}>
        <Limits form={form} path={path} />
      </More>
    </>
  )
}

/** A key that is never shown again: empty keeps it unless the address points to another host, and null removes it. */
export const KeyField = ({ form, path, keySet }: { form: DraftForm; path: string; keySet: boolean }) => {
  const say = useText(text)
  const isRemoved = form.at(path) === null
  const isAgain = keySet && isMoved(form.draft, form.began, path.replace(/\/api_key$/, ''))
  return (
    <Stack gap="xs">
      <PasswordInput
        label={say.apiKey}
        description={isAgain ? say.apiKeyAgain : undefined}
        placeholder={keySet && !isRemoved && !isAgain ? say.apiKeySet : ''}
        autoComplete="off"
        maxLength={500}
        disabled={isRemoved}
        {...form.text(path)}
      />
      {keySet && (
        <Checkbox
          label={say.removeKey}
          checked={isRemoved}
          onChange={({ currentTarget: { checked } }) => form.set(path, checked ? null : undefined)}
        />
      )}
    </Stack>
  )
}

const Limits = ({ form, path }: Pick<ModelFieldsProps, 'form' | 'path'>) => {
  const say = useText(text)
  const at = (name: string): string => `${path}/${name}`
  return (
    <Fields>
      <NumberInput label={say.firstToken} placeholder={say.usual('4000')} min={500} max={30_000} {...form.count(at('first_token_ms'))} />
      <NumberInput label={say.total} placeholder={say.usual('20000')} min={1000} max={120_000} {...form.count(at('total_ms'))} />
      <NumberInput label={say.maxTokens} placeholder={say.usual('300')} min={1} max={8000} {...form.count(at('max_tokens'))} />
      <NumberInput
        label={say.temperature}
        placeholder={say.usual('0.3')}
        min={0}
        max={2}
        step={0.1}
        decimalScale={2}
        {...form.count(at('temperature'))}
      />
      <NumberInput label={say.inputPrice} min={0} decimalScale={4} {...form.count(at('price/input_per_million'))} />
      <NumberInput label={say.outputPrice} min={0} decimalScale={4} {...form.count(at('price/output_per_million'))} />
      <TextInput label={say.currency} placeholder="EUR" maxLength={3} {...form.text(at('price/currency'))} />
    </Fields>
  )
}

/** Rarely changed settings, collapsed. */
export const More = ({ label, children }: { label: string; children: ReactNode }) => (
  <details className={classes.more}>
    <summary className={classes.label}>{label}</summary>
    <div className={classes.content}>{children}</div>
  </details>
)

/** Common addresses of models. The person fills in gaps. */
const presets = [
  { label: 'OpenAI', url: 'https://api.openai.com/v1', name: 'gpt-4.1-mini' },
  { label: 'Ollama', url: 'http://127.0.0.1:11434/v1', name: 'qwen3:4b' },
  { label: 'llama.cpp', url: 'http://127.0.0.1:8081/v1', name: 'default' },
  { label: 'vLLM', url: 'http://127.0.0.1:8000/v1', name: 'Qwen/Qwen3-4B' },
  {
    label: 'Azure OpenAI',
    url: 'https://RESOURCE.openai.azure.com/openai/deployments/DEPLOYMENT?api-version=2024-10-21',
    name: 'gpt-4.1-mini',
  },
] as const

export const ollama = presets[1]
