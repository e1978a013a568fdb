import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readScenario } from './read-scenario.ts'

const hours = `name: hours
from: "491570000001"
steps:
  - expect: { said: welcome }
  - say: When are you open?
  - expect:
      said: [tuesday to sunday, /eleven|11/]
      within_ms: 600
  - say: Stop
    into_ms: 300
  - press: "12#"
  - wait_seconds: 2.5
  - hang_up: true
`

const refusal = (text: string): string => {
  try {
    return JSON.stringify(readScenario(text, 'a.scenario.yaml'))
  } catch (error) {
    return (error as Error).message
  }
}

test('reads the same scenario from YAML and JSON', () => {
  const scenario = readScenario(hours, 'a.scenario.yaml')
  assert.equal(scenario.steps.length, 7)
  assert.deepEqual(scenario.steps[3], { say: 'Stop', into_ms: 300 })
  assert.deepEqual(readScenario(JSON.stringify(scenario), 'a.scenario.json'), scenario)
})

const soundCases: [string, RegExp][] = [
  [
    'name: x\nsteps:\n  - say: I want a table\n    hesitates:\n      - { after: a chair }\n',
    /^a\.scenario\.yaml:5: steps\[1\]\.hesitates\[1\]\.after: “a chair” does not occur in “I want a table”$/,
  ],
  ['name: x\nsteps:\n  - { say: mhm, interrupts: false }\n', /^a\.scenario\.yaml:3: steps\[1\]\.interrupts: needs into_ms/],
  [
    'name: x\nlimits:\n  response_p95: 3\nsteps:\n  - say: x\n',
    /^a\.scenario\.yaml:3: limits\.response_p95: there is only response_p50_ms, /,
  ],
  ['name: x\nline: { loss_percent: 80 }\nsteps:\n  - say: x\n', /^a\.scenario\.yaml:2: line\.loss_percent: must be <= 50$/],
  ['name: x\nline: { noise: { kind: street, snr_db: 3 } }\nsteps:\n  - say: x\n', /^a\.scenario\.yaml:2: line\.noise\.kind: /],
  [
    'name: x\nvoice: { engin: pico }\nsteps:\n  - say: x\n',
    /^a\.scenario\.yaml:2: voice\.engin: there is only engine, name, speed, pitch$/,
  ],
]

test('names file, line and field of each problem', () => {
  const cases: [string, RegExp][] = [
    ['name: x\nsteps: [', /^a\.scenario\.yaml:2: /],
    ['- say: x', /^a\.scenario\.yaml:1: a scenario has a name and steps$/],
    ['steps:\n  - say: x\n', /^a\.scenario\.yaml:1: .*name/],
    ['name: x\nsteps: []\n', /^a\.scenario\.yaml:2: steps: must not have fewer than 1/],
    ['name: x\nstep:\n  - say: x\nsteps:\n  - say: x\n', /^a\.scenario\.yaml:2: step: there is no such field here$/],
    ['name: x\nsteps:\n  - say: a\n  - sing: b\n', /^a\.scenario\.yaml:4: steps\[2\]: a step is one of say, .*judge, and not sing$/],
    ['name: x\nsteps:\n  - say: a\n    press: "1"\n', /^a\.scenario\.yaml:3: steps\[1\]: say and press are two steps/],
    ['name: x\nsteps:\n  - press: abc\n', /^a\.scenario\.yaml:3: steps\[1\]\.press: must match pattern/],
    [
      'name: x\nsteps:\n  - say: a\n  - expect:\n      sad: b\n',
      /^a\.scenario\.yaml:5: steps\[2\]\.expect\.sad: there is only said, not_said, /,
    ],
    ['name: x\nsteps:\n  - expect:\n      within_ms: soon\n', /^a\.scenario\.yaml:4: steps\[1\]\.expect\.within_ms: must be integer/],
    [
      'name: x\nsteps:\n  - expect:\n      said:\n        - /(/\n',
      /^a\.scenario\.yaml:4: steps\[1\]\.expect\.said: Invalid regular expression/,
    ],
    [
      'name: x\nsteps:\n  - press: abc\n  - expect: { ended: never }\n',
      /^a\.scenario\.yaml:3: .*\na\.scenario\.yaml:4: steps\[2\]\.expect\.ended: /,
    ],
  ]
  for (const [text, message] of [...cases, ...soundCases]) assert.match(refusal(text), message, text)
})
