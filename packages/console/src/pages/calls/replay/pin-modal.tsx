import { Alert, Switch, Text, TextInput } from '@mantine/core'
import { useRead, useWrite } from '#api/use-service.ts'
import { useToast } from '#parts/dialog/toast.tsx'
import { FormModal } from '#parts/form/form-modal.tsx'
import { useForm } from '#parts/form/use-form.ts'
import { Loaded } from '#parts/page/loaded.tsx'
import { useText } from '#words/use-text.tsx'
import { ScenarioSteps } from '#lazy-parts/scenarios/scenario-steps.tsx'

import { text } from './text.ts'

export interface PinModalProps {
  flowId: string
  callId: string
  onClose: () => void
}

/** `name` is empty until typed: the default is the call's name. */
const unset = { name: '', words: false, required: false }

/** Saves a call as a test of its flow, after a preview. */
export const PinModal = ({ flowId, callId, onClose }: PinModalProps) => {
  const say = useText(text)
  const toast = useToast()
  const done = (): void => {
    toast.done(say.kept)
    onClose()
  }
  const keep = useWrite('setScenario', { refreshes: ['listScenarios'], onDone: done })
  const form = useForm(unset, keep.error)
  const scenario = useRead('getCallScenario', { callId, words: form.values.words })
  const name = form.values.name.trim() || (scenario.data?.name ?? '')
  const save = (): void => {
    if (scenario.data)
      keep.mutate([
        { aiFlowId: flowId, name },
        { ...scenario.data, name, required: form.values.required },
      ])
  }
  return (
    <FormModal
      opened
      size="lg"
      title={say.pinTitle}
      submit={say.keep}
      onClose={onClose}
      onSubmit={save}
      disabled={!scenario.data}
      pending={keep.isPending}
      error={keep.error}
    >
      <Text size="sm" c="dimmed">
        {say.pinAbout}
      </Text>
      <TextInput label={say.name} maxLength={100} placeholder={scenario.data?.name} {...form.text('name')} />
      <Replaces flowId={flowId} name={name} />
      <Switch label={say.withWords} description={say.withWordsHint} {...form.tick('words')} />
      <Switch label={say.required} description={say.requiredHint} {...form.tick('required')} />
      <Loaded query={scenario}>{({ steps }) => <ScenarioSteps steps={steps} />}</Loaded>
    </FormModal>
  )
}

const Replaces = ({ flowId, name }: { flowId: string; name: string }) => {
  const say = useText(text)
  const { data } = useRead('listScenarios', { aiFlowId: flowId })
  return data?.items.some((other) => other.name === name) && <Alert color="yellow">{say.replaces}</Alert>
}
