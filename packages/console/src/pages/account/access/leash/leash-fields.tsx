import { toolNames } from '@offhook/contract/tools.ts'
import { Group, MultiSelect, NumberInput, SimpleGrid, Switch, TagsInput, TextInput } from '@mantine/core'
import type { Form } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { MoneyInput } from '#lazy-parts/money-input.tsx'
import { weekdays, type LeashForm } from './leash-form.ts'
import { text } from './text.ts'

interface FieldsProps {
  form: Form<LeashForm>
}

export const NumberFields = ({ form }: FieldsProps) => {
  const say = useText(text)
  return (
    <>
      <Switch label={say.onlyNumbers} {...form.tick('onlyNumbers')} />
      {form.values.onlyNumbers && (
        <TagsInput label={say.numbers} description={say.numbersHint} acceptValueOnBlur maxTags={500} {...form.value('allowedNumbers')} />
      )}
    </>
  )
}

export const LimitFields = ({ form, currency }: FieldsProps & { currency: string }) => {
  const say = useText(text)
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <NumberInput label={say.callsPerDay} description={say.perDayHint} min={0} max={1_000_000} {...form.value('callsPerDay')} />
        <NumberInput label={say.smsPerDay} description={say.perDayHint} min={0} max={1_000_000} {...form.value('smsPerDay')} />
      </SimpleGrid>
      <MoneyInput
        label={say.maxSpend}
        description={say.maxSpendHint}
        currency={currency}
        value={form.values.maxSpend}
        onChange={(amount) => form.set('maxSpend', amount)}
        error={form.value('maxSpend').error}
      />
      <Switch label={say.confirms} description={say.confirmsHint} {...form.tick('confirms')} />
    </>
  )
}

export const HourFields = ({ form }: FieldsProps) => {
  const say = useText(text)
  return (
    <>
      <Switch label={say.onlyHours} {...form.tick('onlyHours')} />
      {form.values.onlyHours && (
        <>
          <MultiSelect
            label={say.weekdays}
            description={say.weekdaysHint}
            data={weekdays.map((value) => ({ value, label: say.weekday[value] }))}
            clearable
            {...form.value('hours/weekdays')}
          />
          <Group align="start">
            <TextInput label={say.from} placeholder="08:00" maxLength={5} {...form.text('hours/from')} />
            <TextInput label={say.to} placeholder="20:00" maxLength={5} {...form.text('hours/to')} />
          </Group>
          <TextInput label={say.timeZone} description={say.timeZoneHint} maxLength={64} {...form.text('hours/timeZone')} />
        </>
      )}
    </>
  )
}

export const ToolFields = ({ form }: FieldsProps) => {
  const say = useText(text)
  return (
    <MultiSelect
      label={say.tools}
      description={say.toolsHint}
      data={toolNames.map((value) => ({ value, label: say.tool[value] }))}
      searchable
      clearable
      {...form.value('tools')}
    />
  )
}
