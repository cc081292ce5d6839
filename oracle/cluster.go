package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// dataObject is a ConfigMap or Secret that a Kustomization may read variables
// from. Data is plain text for both kinds.
type dataObject struct {
	Kind      string            `json:"kind"`
	Name      string            `json:"name"`
	Namespace string            `json:"namespace"`
	Data      map[string]string `json:"data"`
}

// dataClient answers the one question that substitution asks of a cluster.
type dataClient struct {
	client.Client
	objects []dataObject
}

func (c dataClient) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	kind, resource := "ConfigMap", "configmaps"
	if _, secret := into.(*corev1.Secret); secret {
		kind, resource = "Secret", "secrets"
	}
	for _, object := range c.objects {
		if object.Kind != kind || object.Name != key.Name || object.Namespace != key.Namespace {
			continue
		}
		switch target := into.(type) {
		case *corev1.ConfigMap:
			target.Data = object.Data
			return nil
		case *corev1.Secret:
			target.Data = map[string][]byte{}
			for name, value := range object.Data {
				target.Data[name] = []byte(value)
			}
			return nil
		default:
			return fmt.Errorf("unexpected type %T", into)
		}
	}
	return apierrors.NewNotFound(corev1.Resource(resource), key.Name)
}
