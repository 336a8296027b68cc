{{- /* Fails if the value "policy" is no policy: no JSON, an unknown key, or an unknown word. What else is wrong keeps the plugin's pods from becoming
ready, which --wait shows. Comments are cut out before, strings are not. */ -}}
{{- define "policy" -}}
{{- $text := regexReplaceAll `("(?:[^"\\]|\\.)*")|//[^\n]*|(?s:/\*.*?\*/)` .Values.policy "${1}" | trim }}
{{- $policy := fromJson $text }}
{{- if not (hasPrefix "{" $text) }}{{ fail "policy: it must be a JSON object, as in {\"opt_in\": \"annotation\"}" }}{{ end }}
{{- if $policy.Error }}{{ fail (printf "policy: %s" $policy.Error) }}{{ end }}
{{- range $object, $keys := KEYS }}
{{- range $key, $_ := eq $object "root" | ternary $policy (get $policy $object | default dict) }}
{{- if not (has $key $keys) }}{{ fail (printf "policy: unknown key %q; known: %s" $key (join ", " $keys)) }}{{ end }}
{{- end }}
{{- end }}
{{- range $key, $words := WORDS }}
{{- if not (has (get $policy $key) (prepend $words "")) }}{{ fail (printf "policy: %q is %s; write one of %s" $key (get $policy $key | toJson) (join ", " $words)) }}{{ end }}
{{- end }}
{{- end }}
