// SPDX-License-Identifier: Apache-2.0
//
// The shapes that a trajectory and the items of a conversation may have, in a small language, as
// NeMo Gym 0.7.0 validates them (pydantic 2.14, openai 2.44). shape_table.cpp compiles it once.
//
//     name: shape;          a definition
//     s i n b any list      string, integer, number, boolean, any value, array|object|string
//     raw                   any value, taken as it is: `any` is seen by the observer (its depth)
//     i>=0 n>=0 i>=1        with a lower bound
//     word                  exactly that string          @name   the shape of that definition
//     [T] {T}               array of T, object whose values are T
//     {a* T, b U}           object: a is required, b may be absent; other fields are ignored
//     !{a* T}  ~{a* T}      other fields are invalid, are dropped unseen
//     T|U   T?              one or the other, T or null. `?` ends a whole union in parentheses.
//     #hook                 what the reader of trajectories does with a valid object
#pragma once

#include <string_view>

namespace gym::telemetry::health {

inline constexpr std::string_view trajectory_shapes = R"(
trajectory: #trajectory !{schema_version 1.0, task_id* s, rollout_id* s, invocations [@invocation],
  turns [@turn], model_calls [@call], tool_calls [@toolcall], gaps [@gap]};
invocation: #invocation !{kind agent_invocation, invocation_id* s, parent_invocation_id s?,
  spawned_by_tool_call_id s?, status completed|failed|incomplete|unknown, duration_ms (n>=0)?,
  error_type s?, model_calls [@invocation_ref], conversation [@item]};
turn: #turn !{invocation_id* s, task_id* s, rollout_id* s, turn_no* i>=1, timestamp* n,
  question any, answer any, reasoning_content any, resolved b?, step_count* i>=0,
  model_calls [@turn_ref]};
turn_ref: #turn_ref !{model_call_id s?, model_ref (@modelref)?, response_id s?};
invocation_ref: #invocation_ref !{model_call_id s?, model_ref (@modelref)?, response_id s?};
modelref: ~{type* responses_api_models, name* s};
call: #call !{model_call_id s?, started_at n?, completed_at n?, duration_ms (n>=0)?, request any,
  response any, response_metadata @metadata, token_stats @tokens};
metadata: #metadata !{response_id s?, model_ref (@modelref)?, model s?, dialect s?, status_code i?,
  response_status s?, finish_reason s?, upstream_attempted b?, response_source (upstream|local)?,
  upstream_status_code i?, local_response_reason s?, error_category s?, latency_ttft_ms (n>=0)?};
tokens: #tokens !{prompt_tokens (i>=0)?, completion_tokens (i>=0)?, reasoning_tokens (i>=0)?,
  total_tokens (i>=0)?, cached_tokens (i>=0)?};
toolcall: #toolcall !{kind tool_call, invocation_id* s, tool_call_id* s, sandbox_id s?,
  tool_name s?, started_at n?, completed_at n?, duration_ms (n>=0)?,
  timing_source (executor|artifact|harness)?,
  status completed|failed|timeout|cancelled|incomplete|unknown, error_type s?, output any};
gap: #gap !{code* s, invocation_id s?, detail s?};
row: #row ~{_ng_task_index raw, _ng_rollout_index raw, stage_index raw, _ng_rollout_id raw,
  ng_trajectory raw, response raw, agent_ref raw, _ng_environment_server raw};
item: #item ~{type raw, role raw, content raw, status raw, id raw, arguments raw, name raw,
  call_id raw, output raw, summary raw, prompt_token_ids raw, generation_token_ids raw,
  generation_log_probs raw, routed_experts raw};
)";

// The items of a conversation, by the name under which item rules find them.
inline constexpr std::string_view item_shapes = R"(
st: in_progress|completed|incomplete;
easymessage: ~{content* s|[@part], role* user|assistant|system|developer, type message,
  phase (commentary|final_answer)?};
inputmessage: ~{content* [@part], role* user|system|developer, type message, status @st};
outputmessage: ~{id* s, content* [@outtext|@outrefusal], role assistant, type message, status @st,
  phase (commentary|final_answer)?};
function_call: ~{type function_call, arguments* s, call_id* s, name* s, id s?, status (@st)?,
  namespace s?};
function_call_output: ~{type function_call_output, call_id* s, output* s|[@toolpart], id s?,
  status (@st)?};
reasoning: ~{type reasoning, id* s, summary* [{text* s, type* summary_text}], encrypted_content s?,
  content [{text* s, type* reasoning_text}]?};
mcp_call: {type mcp_call, arguments* s, name* s, id s?, server_label s?, approval_request_id s?,
  error s?, output s?, status s?};
mcp_list_tools: {type mcp_list_tools, id s?, server_label s?, tools [any], error s?};
mcp_approval_request: {type mcp_approval_request, arguments* s, name* s, id s?, server_label s?};
file_search_call: {id* s, queries* [s], status* in_progress|searching|completed|incomplete|failed,
  results [{attributes {s|n|b}?, file_id s?, filename s?, score n?, text s?}]?};
web_search_call: {id* s, status* in_progress|searching|completed|failed,
  action* {type* search, queries [s]?, query s?, sources [{type* url, url* s}]?}
        | {type* open_page, url s?} | {type* find_in_page, pattern* s, url* s}};
computer_call: {id* s, call_id* s, pending_safety_checks* [@safety], status* @st,
  action (@action)?, actions [@action]?};
image_generation_call: {id* s, result s?, status* in_progress|completed|generating|failed};
code_interpreter_call: {id* s, code s?, container_id* s,
  outputs [{type* logs, logs* s} | {type* image, url* s}]?,
  status* in_progress|completed|incomplete|interpreting|failed};
local_shell_call: {id* s, call_id* s, status* @st,
  action* {type* exec, command* [s], env* {s}, timeout_ms i?, user s?, working_directory s?}};
custom_tool_call: {call_id* s, input* s, name* s, id s?, namespace s?};
computer_call_output: {call_id* s, output* {type* computer_screenshot, file_id s?, image_url s?},
  id s?, acknowledged_safety_checks [@safety]?, status (@st)?};
custom_tool_call_output: {call_id* s, output* s|[@custompart], id s?};
local_shell_call_output: {id* s, output* s, status (@st)?};
mcp_approval_response: {approval_request_id* s, approve* b, id s?, reason s?};
apply_patch_call: {id* s, call_id* s, status* in_progress|completed, created_by s?,
  operation* {type* create_file|update_file, diff* s, path* s} | {type* delete_file, path* s}};
apply_patch_call_output: {id* s, call_id* s, status* completed|failed, created_by s?, output s?};
compaction: {id* s, encrypted_content* s, created_by s?};
shell_call: {id* s, call_id* s, status* @st, created_by s?,
  action* {commands* [s], max_output_length i?, timeout_ms i?},
  environment ({type* local} | {type* container_reference, container_id* s})?};
shell_call_output: {id* s, call_id* s, status* @st, max_output_length i?, created_by s?,
  output* [{stdout* s, stderr* s, created_by s?,
            outcome* {type* timeout} | {type* exit, exit_code* i}}]};
tool_search_call: {id* s, arguments* any, call_id s?, execution* server|client, status* @st,
  created_by s?};
tool_search_output: {id* s, call_id s?, execution* server|client, status* @st, tools* [@tool],
  created_by s?};
compaction_trigger: {};
additional_tools: {role* developer, tools* [@tool], id s?};
part: @input_text
    | ~{type* input_image, detail* low|high|auto|original, file_id s?, image_url s?}
    | ~{type* input_file, detail low|high, file_data s, file_id s?, file_url s, filename s}
    | @video;
input_text: ~{type* input_text, text* s};
video: #video ~{type* input_video, video_url s|{any}, video s|{any}};
toolpart: @input_text
    | ~{type* input_image, detail (low|high|auto|original)?, file_id s?, image_url s?}
    | ~{type* input_file, detail low|high, file_data s?, file_id s?, file_url s?, filename s?};
custompart: {type* input_text, text* s}
    | {type* input_image, detail* low|high|auto|original, file_id s?, image_url s?}
    | {type* input_file, detail (low|high)?, file_data s?, file_id s?, file_url s?, filename s?};
outtext: ~{annotations* [@annotation], text* s, type output_text, logprobs [@logprob]?};
outrefusal: ~{refusal* s, type refusal};
annotation: ~{type* file_citation, file_id* s, filename* s, index* i}
    | ~{type* url_citation, start_index* i, end_index* i, title* s, url* s}
    | ~{type* file_path, file_id* s, index* i}
    | ~{type* container_file_citation, container_id* s, file_id* s, filename* s, start_index* i,
       end_index* i};
logprob: ~{token* s, logprob* n, bytes* list, top_logprobs* list};
safety: {id* s, code s?, message s?};
action: {type* click, button* left|right|wheel|back|forward, x* i, y* i, keys [s]?}
    | {type* double_click|move, x* i, y* i, keys [s]?}
    | {type* drag, path* [{x* i, y* i}], keys [s]?} | {type* keypress, keys* [s]}
    | {type* scroll, scroll_x* i, scroll_y* i, x* i, y* i, keys [s]?}
    | {type* type, text* s} | {type* screenshot|wait};
tool: @function | @custom | {type* computer|local_shell|apply_patch}
    | {type* computer_use_preview, display_height* i, display_width* i,
       environment* windows|mac|linux|ubuntu|browser}
    | {type* file_search, vector_store_ids* [s],
       filters (@comparison | {type* and|or, filters* [any]})?, max_num_results i?,
       ranking_options {hybrid_search {embedding_weight* n, text_weight* n}?,
         ranker (auto|default-2024-11-15)?, score_threshold n?}?}
    | {type* web_search|web_search_2025_08_26, filters {allowed_domains [s]?}?,
       search_context_size (@contextsize)?, user_location (@location)?}
    | {type* web_search_preview|web_search_preview_2025_03_11, search_content_types [@words]?,
       search_context_size (@contextsize)?,
       user_location {type* approximate, city s?, country s?, region s?, timezone s?}?}
    | {type* mcp, server_label* s, allowed_tools ([s]|@only)?,
       require_approval ({always (@only)?, never (@only)?}|always|never)?, authorization s?,
       connector_id (@connector)?, defer_loading b?, headers {s}?, server_description s?,
       server_url s?, tunnel_id s?}
    | {type* code_interpreter,
       container* s | {type* auto, file_ids [s]?, memory_limit (@memory)?,
                       network_policy (@policy)?}}
    | {type* image_generation, action (generate|edit|auto)?, background (transparent|opaque|auto)?,
       input_fidelity (high|low)?, input_image_mask {file_id s?, image_url s?}?, model s?,
       moderation (auto|low)?, output_compression i?, output_format (png|webp|jpeg)?,
       partial_images i?, quality (low|medium|high|auto)?, size s?}
    | {type* shell, environment ({type* container_auto, file_ids [s]?, memory_limit (@memory)?,
         network_policy (@policy)?, skills [@skill]?}
       | {type* local, skills [{name* s, description* s, path* s}]?}
       | {type* container_reference, container_id* s})?}
    | {type* namespace, name* s, description* s, tools* [@custom | {type* function, name* s,
         parameters any, strict b?, defer_loading b?, description s?}]}
    | {type* tool_search, description s?, execution (server|client)?, parameters any};
function: {type* function, name* s, parameters {any}?, strict b?, defer_loading b?,
  description s?};
custom: {type* custom, name* s, defer_loading b?, description s?,
  format ({type* text} | {type* grammar, definition* s, syntax* lark|regex})?};
comparison: {key* s, type* eq|ne|gt|gte|lt|lte|in|nin, value* s|n|b|[s|n]};
location: {city s?, country s?, region s?, timezone s?, type (approximate)?};
words: text|image;
contextsize: low|medium|high;
only: {read_only b?, tool_names [s]?};
connector: connector_dropbox|connector_gmail|connector_googlecalendar|connector_googledrive
    |connector_microsoftteams|connector_outlookcalendar|connector_outlookemail
    |connector_sharepoint;
memory: 1g|4g|16g|64g;
policy: {type* disabled}
    | {type* allowlist, allowed_domains* [s], domain_secrets [{domain* s, name* s, value* s}]?};
skill: {type* skill_reference, skill_id* s, version s?}
    | {type* inline, name* s, description* s,
       source* {type* base64, media_type* application/zip, data* s}};
token_ids: ~{prompt_token_ids* [i], generation_token_ids* [i], generation_log_probs* [n],
  routed_experts (s|[[[i]]])?};
)";

}  // namespace gym::telemetry::health
