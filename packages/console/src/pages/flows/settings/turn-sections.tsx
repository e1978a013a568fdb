import { NativeSelect, NumberInput, Switch, TagsInput } from '@mantine/core'
import type { Form } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import type { Flow } from '../parts/flow-state.tsx'
import { Fields, SpokenField } from './fields.tsx'
import type { FlowForm } from './flow-form.ts'
import { text } from './text.ts'

const paces = ['quick', 'normal', 'patient', 'dictation', 'classic'] as const
const strategies = ['words', 'minimum_characters', 'immediate', 'manual', 'none'] as const

/** Turn taking. */
export const TurnSection = ({ form }: { form: Form<FlowForm> }) => {
  const say = useText(text)
  const choices = [{ value: '', label: say.strategies.usual }, ...strategies.map((value) => ({ value, label: say.strategies[value] }))]
  return (
    <Fields>
      <NativeSelect label={say.strategy} data={choices} {...form.text('barge_in/strategy')} />
      <NumberInput
        label={say.minimumCharacters}
        min={1}
        max={100}
        placeholder={say.usual('3')}
        {...form.value('barge_in/minimum_characters')}
      />
      <NumberInput
        label={say.allowAfter}
        min={0}
        max={10_000}
        step={100}
        placeholder={say.usual('0')}
        {...form.value('barge_in/allow_after_ms')}
      />
      <NumberInput
        label={say.endOfTurn}
        description={say.endOfTurnHint}
        min={150}
        max={2000}
        step={50}
        {...form.value('vad/end_of_turn_silence_ms')}
      />
      <NativeSelect
        label={say.turnTaking}
        data={[{ value: '', label: say.paces.usual }, ...paces.map((value) => ({ value, label: say.paces[value] }))]}
        {...form.text('turn_taking')}
      />
    </Fields>
  )
}

/** Timeouts of caller, assistant and endpoint. */
export const PatienceSection = ({ form, flow }: { form: Form<FlowForm>; flow: Flow }) => {
  const say = useText(text)
  return (
    <Fields>
      <NumberInput
        label={say.total}
        description={say.totalHint}
        min={1000}
        max={60_000}
        step={500}
        placeholder={say.usual('15000')}
        {...form.value('timeouts/total_ms')}
      />
      <NumberInput
        label={say.attempt}
        min={100}
        max={60_000}
        step={500}
        placeholder={say.attemptUsual}
        {...form.value('timeouts/attempt_ms')}
      />
      <NumberInput
        label={say.userInput}
        description={say.userInputHint}
        min={0}
        max={3600}
        {...form.value('timeouts/user_input_seconds')}
      />
      <NumberInput label={say.silence} min={5} max={3600} {...form.value('timeouts/silence_seconds')} />
      <NumberInput
        label={say.fillersAfter}
        min={500}
        max={10_000}
        step={100}
        placeholder={say.usual('1200')}
        {...form.value('fillers/after_ms')}
      />
      <SpokenField form={form} flow={flow} label={say.fillers} spoken={form.values['fillers/texts'].join(' ')}>
        <TagsInput
          label={say.fillers}
          description={say.fillersHint}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          maxTags={10}
          {...form.value('fillers/texts')}
        />
      </SpokenField>
      <Switch label={say.noFillers} {...form.tick('fillers/off')} />
      <NumberInput label={say.maxCall} min={10} max={14_400} step={60} {...form.value('timeouts/max_call_seconds')} />
    </Fields>
  )
}
